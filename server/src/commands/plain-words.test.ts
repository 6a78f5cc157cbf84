import { expect, test } from 'vitest'
import { inPlainWords } from './plain-words.ts'

const place = { databaseUrl: undefined, dataDir: './data' }

function failing(code: string): Promise<unknown> {
  const error = Object.assign(new Error('no stack is told'), { code, syscall: 'open' })
  return inPlainWords(place, () => Promise.reject(error))
}

test.each([
  ['EACCES', /^the data folder \.\/data cannot be written: .*DATA_DIR/],
  ['EROFS', /^the data folder \.\/data cannot be written: .*DATA_DIR/],
  ['ENOTDIR', /^the data folder \.\/data is not a folder: .*DATA_DIR/],
  ['ENOSPC', /^no space is left for the data folder \.\/data: .*DATA_DIR/],
  ['EDQUOT', /^no space is left for the data folder \.\/data: .*DATA_DIR/],
  ['ENAMETOOLONG', /^the data folder \.\/data cannot be used \(ENAMETOOLONG\): .*DATA_DIR/],
  ['ELOOP', /^the data folder \.\/data cannot be used \(ELOOP\): .*DATA_DIR/],
])('%s of the data folder is one line with its mend', async (code, line) => {
  await expect(failing(code)).rejects.toMatchObject({
    name: 'CommandFailure',
    lines: [expect.stringMatching(line)],
  })
})

test('what nobody expected stays as it is', async () => {
  const error = new TypeError('a mistake of ours')
  await expect(inPlainWords(place, () => Promise.reject(error))).rejects.toBe(error)
})
