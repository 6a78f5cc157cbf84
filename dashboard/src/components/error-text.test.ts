import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../', import.meta.url).pathname

/** Those that show the page that fixes an error in another way, and those whose errors no page fixes. */
const exempt = [
  // The link is beside the text.
  'features/build/test-chat/use-test-chat.ts',
  'features/build/test-chat/chat-turn.ts',
  'features/knowledge/source-row.tsx',
  // A wrong password, and a page that failed to render.
  'app/confirmation-dialog.tsx',
  'app/problem-pages.tsx',
]

test('pages show errors with ErrorText, which links to the page that fixes them', () => {
  const files = globSync('{app,features}/**/*.{ts,tsx}', { cwd: folder })
  expect(files.length).toBeGreaterThan(100)
  const bypassing = files.filter((file) => {
    if (file.endsWith('.test.ts')) return false
    const text = readFileSync(`${folder}${file}`, 'utf8')
    return /\bmessageOf\b|(?:rror|\bproblem)\??\.message\b/.test(text)
  })
  expect(bypassing.toSorted()).toEqual(exempt.toSorted())
})
