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
    const text = 'npm run one\n    npm run two\n\nBoth check the log. They take a minute.'
    const code = '```\nnpm run one\nnpm run two\n```'
    expect(statementsOf(text).map((one) => one.text)).toEqual([
      `${code}\n\nBoth check the log.`,
      'They take a minute.',
    ])
    expect(statementsOf(`To check it, run:\n\n${text}`).map((one) => one.text)).toEqual([
      `To check it, run:\n\n${code}`,
      'Both check the log.',
      'They take a minute.',
    ])
  })

  it('include a sentence that goes on from code', () => {
    const text = 'This command:\n\n```\nnpm run one\n```\n\nchecks the log. It is quick.'
    expect(statementsOf(text).map((one) => one.text)).toEqual([
      'This command:\n\n```\nnpm run one\n```\n\nchecks the log.',
      'It is quick.',
    ])
  })

  it('do not end with an abbreviation', () => {
    const text = 'Dr. Smith answers. Es gibt z. B. Hunde, inkl. Futter. That is all.'
    expect(statementsOf(text).map((one) => one.text)).toEqual([
      'Dr. Smith answers.',
      'Es gibt z. B. Hunde, inkl. Futter.',
      'That is all.',
    ])
  })

  it('know their paragraph', () => {
    expect(statementsOf('One. Two.\n\nThree.').map(({ block }) => block)).toEqual([0, 0, 1])
  })
})
