import { expect, test } from 'vitest'
import { shownAgents } from './shown-agents.ts'

const agent = (name: string) => ({ id: name, app_name_id: name, name })
const names = (...input: Parameters<typeof shownAgents>) =>
  shownAgents(...input).map(({ name, isPinned }) => (isPinned ? `${name}!` : name))

test('pins come first, and no agent is shown twice', () => {
  expect(names([agent('b')], [agent('a'), agent('b')], agent('b'))).toEqual(['b!', 'a'])
})

test('the open agent is shown even if it is neither pinned nor new', () => {
  expect(names([agent('p')], [agent('n')], agent('old'))).toEqual(['p!', 'old', 'n'])
  expect(names([], [agent('n')], agent('n'))).toEqual(['n'])
  expect(names([], [agent('n')], null)).toEqual(['n'])
})
