import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { cleansUp, emptyFolder, parley } from '#test/support/parley-process.ts'

cleansUp()

test('a start says in a line that the disk failed while the demo agent was taught', async () => {
  const DATA_DIR = await emptyFolder()
  await parley(['migrate'], { DATA_DIR })
  // Blocks of 512 bytes that a file may have: enough for what is there, not for the documentation.
  const most = Math.ceil((await stat(join(DATA_DIR, 'parley.sqlite'))).size / 512) + 8
  const main = join(import.meta.dirname, '../main.ts')
  const environment = { PATH: process.env.PATH, DATA_DIR, PORT: '0', LOG_LEVEL: 'silent' }
  const command = ['-c', `ulimit -f ${most}; exec "$0" "$1" start`, process.execPath, main]
  const ended = promisify(execFile)('sh', command, { env: environment })
  await expect(ended).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^parley: the disk of \S+ fails \(.*\n$/),
  })
})
