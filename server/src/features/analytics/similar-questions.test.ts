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

/** As the comparison of each question with all before it would find. Their words have no endings. */
function likesByPairs(questions: readonly string[]): number[] {
  const sets = questions.map((question) => new Set(question.split(' ')))
  const weigh = (word: string) =>
    Math.log(2 + sets.length / sets.filter((set) => set.has(word)).length)
  const weightOf = (words: ReadonlySet<string>) =>
    [...words].reduce((sum, word) => sum + weigh(word), 0)
  const areAlike = (one: ReadonlySet<string>, other: ReadonlySet<string>) => {
    const common = one.intersection(other)
    return common.size >= 2 && weightOf(common) >= weightOf(one.union(other)) / 2
  }
  const likes: number[] = []
  for (const [index, own] of sets.entries()) {
    const first = sets.findIndex((set, at) => at < index && likes[at] === at && areAlike(set, own))
    likes.push(first === -1 ? index : first)
  }
  return likes
}

test('finds what the comparison of all pairs finds', async () => {
  let [seed, joined] = [1, 0]
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  for (let round = 0; round < 60; round++) {
    const words = 4 + Math.floor(random() * 40)
    const questions = Array.from({ length: 60 }, () =>
      Array.from(
        { length: 1 + Math.floor(random() * 8) },
        () => `k${Math.floor(random() ** 2 * words)}`,
      ).join(' '),
    )
    const likes = await likenQuestions(questions)
    expect(likes).toEqual(likesByPairs(questions))
    joined += likes.filter((like, index) => like !== index).length
  }
  expect(joined).toBeGreaterThan(100)
})
