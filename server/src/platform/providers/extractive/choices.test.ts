import { describe, expect, it } from 'vitest'
import type { Passage } from '#platform/models/model.ts'
import { modelRequest } from '#test/support/servers/model-requests.ts'
import { extractive } from './extractive.ts'

function passage(text: string, changes: Partial<Passage> = {}): Passage {
  const empty = { sourceId: 's', title: '', url: null, page: null, heading: '' }
  return { ...empty, text, score: 1, ...changes }
}

function ask(content: string, passages: readonly Passage[], passageCount = 10) {
  const messages = [{ role: 'user' as const, content }]
  const weighWords = () => ({ words: new Map<string, number>(), passageCount })
  return extractive.complete(modelRequest({ messages, passages, weighWords }))
}

describe('An answer', () => {
  it('quotes a short paragraph whole when no sentence of it clearly answers', async () => {
    const care = passage(
      'Cups with golden rims are the exception. Wash them by hand only. Never put them into an oven.',
    )
    const { text } = await ask('Can my golden cup go into the oven after dinner?', [care])
    expect(text).toBe(care.text)
  })

  it('is refused more easily by large knowledge, in which words meet by chance', async () => {
    const lamps = passage('Each lamp has a switch. Brass darkens.')
    const foundNothing = async (passageCount: number) =>
      (await ask('Is the lamp made of brass?', [lamps], passageCount)).foundNothing
    expect(await foundNothing(10)).toBe(false)
    expect(await foundNothing(5000)).toBe(true)
  })

  it('prefers what the search found best, and a heading that names the subject', async () => {
    const lamps = passage('The warranty is two years.', { title: 'Lamps' })
    const tables = passage('The warranty is five years.', { title: 'Tables', score: 10 })
    const named = passage('It is ten years.', { title: 'Warranty' })
    const first = async (given: readonly Passage[]) =>
      (await ask('How long is the warranty?', given)).citedPassages?.[0]
    expect(await first([lamps, tables])).toBe(1)
    expect(await first([tables, lamps])).toBe(0)
    expect(await first([lamps, named])).toBe(1)
  })

  it('cites each passage by its place among the cited ones', async () => {
    const passages = [
      passage('Parcels are insured.', { title: 'Shipping' }),
      passage('Refunds are paid within 14 days of the return.', { title: 'Refunds' }),
      passage('Refunds cost no fee.', { title: 'Fees' }),
      passage('Refunds for gifts are paid as vouchers.', { title: 'Refunds' }),
    ]
    const { text, citedPassages } = await ask('Are refunds paid?', passages)
    const titles = (citedPassages ?? []).map((index) => passages[index]?.title)
    expect(titles.length).toBeGreaterThan(1)
    const marks = [...text.matchAll(/^From “(.+)” ((?:\[\d\])+):$/gm)].flatMap(([, title, all]) =>
      [...(all ?? '').matchAll(/\d/g)].map(([number]) => ({ title, number })),
    )
    expect(marks).toHaveLength(titles.length)
    for (const { title, number } of marks) expect(titles[Number(number) - 1]).toBe(title)
  })

  it('quotes the number beside a sentence that only names what the question asks for', async () => {
    const limit = passage(
      'This is how long a passkey may take to answer. The default is 600. Others are ready at once.',
    )
    const { text } = await ask('How long may a passkey take?', [limit])
    expect(text).toBe('This is how long a passkey may take to answer. The default is 600.')
  })

  it('keeps lines that are no sentences apart, and never quotes the next one instead', async () => {
    const menu = passage('Hours\nMon-Fri 8:00-18:00\nSun closed\nFlat white 3.80 EUR\nBeans 9 EUR')
    const { text } = await ask('Closed on Sun?', [menu])
    expect(text.split('\n\n')).toContain('Sun closed')
    const data = passage('Weight | 340 g\nPorts | 4 × Gigabit\nRadio | 5 GHz')
    expect((await ask('How many ports?', [data])).text).toContain('Ports | 4 × Gigabit')
  })

  it('need not contain an everyday word', async () => {
    const dogs = passage('Dogs are welcome. Cats are not.')
    expect((await ask('Might my dogs visit?', [dogs])).citedPassages).toEqual([0])
    expect((await ask('Might my dogs swim?', [dogs])).foundNothing).toBe(true)
  })

  it('reads the names of signs, and numbers without their units', async () => {
    const linen = passage('Wash linen at 40 °C.')
    const wool = passage('Wash wool at 20 times.')
    const cited = async (question: string) =>
      (await ask(question, [wool, linen])).citedPassages?.[0]
    expect(await cited('How many degrees for the wash?')).toBe(1)
    const jobs = passage('Copies are made with EVERY=6h.')
    const { citedPassages } = await ask('Are copies made every 6 hours?', [wool, jobs])
    expect(citedPassages).toEqual([1])
  })
})

describe('A question for a definition', () => {
  const many = passage('A workspace counts for its owner. One workspace is free.', {
    heading: 'How many workspaces',
    score: 3,
  })
  const defining = passage('A workspace holds agents. People see only theirs.', { score: 2 })
  const glossary = passage('**Workspace**: what holds agents.', { score: 2 })

  it.each([
    'What is a workspace?',
    'what are workspaces',
    'what does workspace mean',
    "What's a workspace?",
    'Was ist ein Workspace?',
  ])('is answered by the sentence that defines it: %s', async (question) => {
    expect((await ask(question, [many, defining])).text).toContain('A workspace holds agents.')
    expect((await ask(question, [many, defining])).citedPassages?.[0]).toBe(1)
    expect((await ask(question, [many, glossary])).citedPassages?.[0]).toBe(1)
  })

  it('is answered by a passage far behind, if a sentence of it may define the word', async () => {
    const others = Array.from({ length: 24 }, () => many)
    const { text, citedPassages } = await ask('What is a workspace?', [...others, glossary])
    expect(text).toContain('what holds agents')
    expect(citedPassages?.[0]).toBe(24)
    const beyond = await ask('Which workspace holds agents?', [...others, glossary])
    expect(beyond.citedPassages).not.toContain(24)
  })

  it('is answered however common the word is', async () => {
    const { text } = await ask('What is a workspace?', [glossary], 5000)
    expect(text).toContain('what holds agents')
    expect((await ask('Tell me about a workspace', [glossary], 5000)).foundNothing).toBe(true)
  })

  it.each(['What are the workspaces?', 'Which workspace is free?', 'What is free in a workspace?'])(
    'is not one that asks for something else: %s',
    async (question) => {
      expect((await ask(question, [many, defining])).citedPassages?.[0]).toBe(0)
    },
  )
})
