import { expect, test } from 'vitest'
import { likenQuestions } from './similar-questions.ts'

/** The questions in groups, each as it is written. */
async function groups(...questions: string[]): Promise<string[][]> {
  const likes = await likenQuestions(questions.map((question) => question.toLowerCase()))
  const found = Map.groupBy(questions, (question) => likes[questions.indexOf(question)])
  return [...found.values()]
}

test('questions that share most of their words are one, in English', async () => {
  expect(
    await groups(
      'Do you ship to Norway?',
      'Can you ship my order to Norway?',
      'Is shipping to Norway possible',
      'Do you ship to Spain?',
      'How do I reset my password?',
      'I forgot my password, can I reset it?',
      'Is there parking near the shop?',
      'Is the shop open on Sunday?',
    ),
  ).toEqual([
    [
      'Do you ship to Norway?',
      'Can you ship my order to Norway?',
      'Is shipping to Norway possible',
    ],
    ['Do you ship to Spain?'],
    ['How do I reset my password?', 'I forgot my password, can I reset it?'],
    ['Is there parking near the shop?'],
    ['Is the shop open on Sunday?'],
  ])
})

test('questions that share most of their words are one, in German', async () => {
  expect(
    await groups(
      'Liefern Sie auch nach Norwegen?',
      'Kann man sich etwas nach Norwegen liefern lassen?',
      'Wie lange kann ich Schuhe zurückgeben?',
      'Wie lange lassen sich meine Schuhe bitte zurückgeben?',
      'Was kostet die Rückgabe?',
      'Gibt es Parkplätze?',
      'Haben Sie Parkplätze für Fahrräder?',
    ),
  ).toEqual([
    ['Liefern Sie auch nach Norwegen?', 'Kann man sich etwas nach Norwegen liefern lassen?'],
    [
      'Wie lange kann ich Schuhe zurückgeben?',
      'Wie lange lassen sich meine Schuhe bitte zurückgeben?',
    ],
    ['Was kostet die Rückgabe?'],
    ['Gibt es Parkplätze?'],
    ['Haben Sie Parkplätze für Fahrräder?'],
  ])
})

test('other question words ask for something else', async () => {
  expect(await groups('When is the summer sale?', 'Where is the summer sale?')).toHaveLength(2)
})

test('comparing many long questions takes little time, and none is lost', async () => {
  const questions = Array.from({ length: 20_000 }, (_, n) =>
    Array.from({ length: 40 }, (_, at) => `word${(n * 7 + at * 13) % 997}`).join(' '),
  )
  const before = performance.now()
  const likes = await likenQuestions(questions)
  expect(performance.now() - before).toBeLessThan(3000)
  expect(likes).toHaveLength(questions.length)
  expect(likes[15_000]).toBe(15_000)
})
