import { describe, expect, it } from 'vitest'
import { statementsOf } from './statements.ts'

describe('The statements of a passage', () => {
  it('have the head of their own table, even if two tables follow each other', () => {
    const text = '| A | B |\n|---|---|\n| 1 | 2 |\n| C | D | E |\n|---|---|---|\n| 3 | 4 | 5 |'
    expect(statementsOf(text)).toMatchObject([
      { text: '| 1 | 2 |', head: '| A | B |\n|---|---|' },
      { text: '| 3 | 4 | 5 |', head: '| C | D | E |\n|---|---|---|' },
    ])
  })

  it('are never bare code, indented or fenced', () => {
    const text = 'npm run one\n    npm run two\n\nBoth check the log.'
    expect(statementsOf(text).map((one) => one.text)).toEqual(['Both check the log.'])
    const introduced = `To check it, run:\n\n${text}`
    expect(statementsOf(introduced)[0]?.text).toBe(
      'To check it, run:\n\n```\nnpm run one\nnpm run two\n```',
    )
  })

  it('know their paragraph', () => {
    expect(statementsOf('One. Two.\n\nThree.').map(({ block }) => block)).toEqual([0, 0, 1])
  })
})
