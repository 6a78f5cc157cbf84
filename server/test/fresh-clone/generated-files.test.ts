import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** Returns what a generator reports about the current files. It writes nothing. */
async function check(generator: string): Promise<string> {
  const parts = [join(root, 'tools', generator), '--check']
  return await promisify(execFile)(process.execPath, parts).then(
    () => 'up to date',
    (failure: { readonly stderr: string }) => failure.stderr,
  )
}

test.each(['write-docs.ts', 'write-contracts.ts'])(
  'the generated files are up to date: tools/%s',
  async (generator) => {
    expect(await check(generator)).toBe('up to date')
  },
)
