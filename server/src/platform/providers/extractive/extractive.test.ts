import { describe, expect, it } from 'vitest'
import { modelRequest, stepsOf } from '#test/support/servers/model-requests.ts'
import { extractive } from './extractive.ts'
import type { ModelAnswer, Passage } from '#platform/models/model.ts'

function passage(text: string, changes: Partial<Passage> = {}): Passage {
  return {
    sourceId: 's',
    title: '',
    url: null,
    page: null,
    heading: '',
    text,
    score: 1,
    ...changes,
  }
}

const shipping = passage(
  'We ship from our warehouse in Rotterdam. Delivery to Norway takes five working days. Delivery within the Netherlands takes one day. Parcels are insured.',
  { title: 'Shipping' },
)
const refunds = passage(
  'Our shop opened in 1998. Refunds are paid within 14 days of the return. You keep the receipt until then.',
  { title: 'Refunds' },
)
const passages = [shipping, refunds]

function ask(question: string, given: readonly Passage[] = passages): Promise<ModelAnswer> {
  return extractive.complete(
    modelRequest({
      messages: [
        { role: 'system', content: 'You are a pirate. Talk of refunds only.' },
        { role: 'user', content: question },
      ],
      passages: given,
    }),
  )
}

describe('An answer', () => {
  it('quotes the sentence that answers, cites its passage and leaves the rest out', async () => {
    const { text, citedPassages, finishReason } = await ask(
      'How long does delivery to Norway take?',
    )
    expect(text).toContain('Delivery to Norway takes five working days.')
    expect(text).not.toContain('insured')
    expect(text).not.toContain('receipt')
    expect(citedPassages).toEqual([0])
    expect(finishReason).toBe('stop')
  })

  it('finds other forms of a word', async () => {
    const { text, citedPassages } = await ask('When is my refund paid?')
    expect(text).toContain('Refunds are paid within 14 days of the return.')
    expect(citedPassages).toEqual([1])
  })

  it('names the title of what it quotes', async () => {
    expect((await ask('When is my refund paid?')).text).toContain('Refunds”')
  })

  it('quotes code at the beginning of a section only with the sentence after it', async () => {
    const code = passage('```sh\nnpm run backup\n```\nchecks the backup.', { title: 'Backup' })
    const { text } = await ask('How does the backup run?', [code])
    expect(text).toBe('From “Backup” [1]:\n\n```sh\nnpm run backup\n```\n\nchecks the backup.')
  })

  it('names a title once, even if it quotes several of its passages', async () => {
    const more = passage('Refunds for gifts are paid as vouchers.', { title: 'Refunds' })
    const { text, citedPassages } = await ask('Are refunds paid?', [refunds, more])
    expect(citedPassages).toEqual([0, 1])
    expect(text.match(/From “Refunds”/g)).toHaveLength(1)
  })

  it('has at most six sentences, in the order of the passage', async () => {
    const many = passage(
      Array.from({ length: 20 }, (_, i) => `Rule ${i} of parking says something.`).join(' '),
    )
    const { text } = await ask('What are the rules of parking?', [many])
    const numbers = [...text.matchAll(/Rule (\d+)/g)].map(([, n]) => Number(n))
    expect(numbers.length).toBeGreaterThan(0)
    expect(numbers.length).toBeLessThanOrEqual(6)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  })

  it('consists of sentences quoted word for word from the knowledge', async () => {
    const { text } = await ask('What does delivery within the Netherlands take?')
    for (const sentence of text.replace(/^From “.*:\n\n/gm, '').split(/(?<=\.)\s+/))
      expect(shipping.text).toContain(sentence)
  })

  it('quotes the text under a heading, or after a question, that matches', async () => {
    const faq = passage('# Cancelling\n\nCan I cancel my order?\nYes, until it has left us.\n')
    const { text } = await ask('Can I cancel my order?', [faq])
    expect(text).toContain('Yes, until it has left us.')
    expect(text).not.toContain('Can I cancel')
  })

  it('counts a heading’s words for the text under it', async () => {
    const under = passage('Send it back in its box. We pay the postage.', { heading: 'Warranty' })
    expect((await ask('What about the warranty?', [shipping, under])).citedPassages).toEqual([1])
  })

  it('is found by words that mean about the same', async () => {
    const vouchers = passage('A voucher is valid for three years.', { title: 'Vouchers' })
    const request = modelRequest({
      messages: [{ role: 'user', content: 'When does my gift card run out?' }],
      passages: [shipping, vouchers],
    })
    expect((await extractive.complete(request)).foundNothing).toBe(true)
    const like = (word: string) => new Map([[word, 0.7]])
    const relatedWords = new Map([
      ['gift', like('voucher')],
      ['card', like('voucher')],
      ['run', like('valid')],
    ])
    const { text } = await extractive.complete({ ...request, relatedWords })
    expect(text).toContain('A voucher is valid for three years.')
  })

  it('is found by a part of a compound', async () => {
    const invoice = passage('Rechnungskauf bieten wir nicht an. Der Laden ist schön.')
    const { text } = await ask('Bieten Sie Rechnungen an?', [shipping, invoice])
    expect(text).toContain('Rechnungskauf')
  })

  it('has the sentence before one that nobody understands without it', async () => {
    const repair = passage(
      'We repair chipped plates with gold lacquer. They may go into the dishwasher afterwards. The shop is in Bonn.',
    )
    const { text } = await ask('Which plates may go into the dishwasher?', [repair])
    expect(text).toContain('We repair chipped plates with gold lacquer. They may go')
    expect(text).not.toContain('Bonn')
  })

  it('about something with a name is given only by a passage with this name', async () => {
    const tool = passage('Connect an agent to your tools.', { title: 'Tools' })
    expect((await ask('Do I connect the agent to Tools?', [tool])).foundNothing).toBe(false)
    expect((await ask('Do I connect the agent to Slack?', [tool])).foundNothing).toBe(true)
  })

  it('begins with the first sentence under a heading that matches', async () => {
    const formats = passage('PDF and Word. Old documents have to be saved anew as new files.', {
      heading: 'Which file formats can be uploaded?',
    })
    const { text } = await ask('What file formats can I upload?', [formats])
    expect(text).toContain('PDF and Word.')
  })

  it.each([
    ['what’s the warranty?', 'The warranty is two years.'],
    ['What is the max body size?', 'MAX_BODY_SIZE is four megabytes.'],
    ['Can’t I pay in cash?', 'You can pay in cash.'],
    ['Shouldn’t a refund have come?', 'A refund takes two days.'],
  ])('recognises words by their parts: %s', async (question, text) => {
    expect((await ask(question, [passage(text)])).text).toContain(text)
  })

  it('quotes code and steps with the sentence that introduces them', async () => {
    const text =
      'Backups are simple.\n\nTo restore one, run:\n\n```sh\nparley restore FILE\n```\n\nTo check one:\n\n1. Open it.\n2. Read it.'
    const guide = passage(text, { title: 'Backup' })
    expect((await ask('How do I restore a backup?', [guide])).text).toContain(
      'To restore one, run:\n\n```sh\nparley restore FILE\n```',
    )
    expect((await ask('How do I check a backup?', [guide])).text).toContain(
      'To check one:\n\n1. Open it.\n2. Read it.',
    )
  })

  it('quotes a row with the head of its table, and names the part of the page', async () => {
    const rows = '| Country | Days |\n|---|---|\n| Norway | 5 |\n| Italy | 3 |'
    const table = passage(rows, { title: 'Delivery', heading: 'Delivery › Times' })
    expect((await ask('How many days to Norway?', [table])).text).toBe(
      'From “Delivery › Times” [1]:\n\n| Country | Days |\n|---|---|\n| Norway | 5 |',
    )
  })

  it('prefers a statement with a number for a question about a time or a price', async () => {
    const returns = passage('A return is easy for everyone. You can return it for 60 days.')
    expect((await ask('How long can I return something?', [returns])).text).toMatch(/60 days/)
  })

  it('joins lines that were broken to fit a page', async () => {
    const wrapped = passage(
      'The museum is open every day of the week from nine in the\nmorning until six in the evening.',
    )
    expect((await ask('When is the museum open?', [wrapped])).text).toContain(
      'from nine in the morning until six',
    )
  })

  it('uses the last user message, and ignores system messages', async () => {
    const { citedPassages } = await extractive.complete(
      modelRequest({
        messages: [
          { role: 'system', content: 'Refunds! Refunds!' },
          { role: 'user', content: 'When are refunds paid?' },
          { role: 'assistant', content: 'Refunds are paid within 14 days.' },
          { role: 'user', content: [{ type: 'text', text: 'And delivery to Norway?' }] },
        ],
        passages,
      }),
    )
    expect(citedPassages).toEqual([0])
  })
})

describe('It answers that it found nothing', () => {
  it.each([
    'Who won the world cup in 1998?',
    'What is the capital of France?',
    'What is the airspeed velocity of an unladen swallow?',
    'Wer war der erste Mensch auf dem Mond?',
    '量子力学是什么?',
    'ما هي عاصمة فرنسا؟',
    'What is it?',
  ])('when asked: %s', async (question) => {
    const { foundNothing, citedPassages } = await ask(question)
    expect(foundNothing).toBe(true)
    expect(citedPassages).toEqual([])
  })

  it('when a word only resembles one of the question', async () => {
    const prices = passage('Prices are in minor units, and the states of an order are told.')
    expect((await ask('Who is president of the United States?', [prices])).citedPassages).toEqual(
      [],
    )
  })

  it('when there are no passages', async () => {
    expect((await ask('When are refunds paid?', [])).text).toContain('found nothing')
  })

  it('and that no language model is connected', async () => {
    expect((await ask('Who won the world cup?')).text).toContain('no language model')
  })
})

it('A question of a megabyte over long passages takes less than two seconds of CPU', async () => {
  const long = passage('Every word of this passage is here once more, refunds too. '.repeat(2000))
  const question = Array.from({ length: 100_000 }, (_, i) => `term${i}`).join(' ')
  await ask('warm up')
  // Time on the clock would count what else the machine does.
  const started = process.cpuUsage()
  await ask(
    question,
    Array.from({ length: 8 }, () => long),
  )
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(2000)
})

describe('Usage and limits', () => {
  it('are counted in tokens', async () => {
    const { usage } = await ask('When are refunds paid?')
    expect(usage?.promptTokens).toBeGreaterThan(15)
    expect(usage?.completionTokens).toBeGreaterThan(8)
  })

  it('shorten an answer to the token limit', async () => {
    const request = modelRequest({
      messages: [{ role: 'user', content: 'When are refunds paid?' }],
      passages,
      maxOutputTokens: 5,
    })
    const { usage, finishReason } = await extractive.complete(request)
    expect(finishReason).toBe('length')
    expect(usage?.completionTokens).toBeLessThanOrEqual(5)
  })
})

describe('A stream', () => {
  it('sends the text of the whole answer in groups of words', async () => {
    const request = modelRequest({
      messages: [{ role: 'user', content: 'When are refunds paid?' }],
      passages,
    })
    const { text, ...finish } = await extractive.complete(request)
    const batches: string[] = []
    const ending = await extractive.stream(request, (texts) => void batches.push(texts.join('')))
    expect(batches.length).toBeGreaterThan(2)
    expect(batches.join('')).toBe(text)
    expect(ending).toEqual(finish)
  })

  it('stops when its caller disconnects', async () => {
    const controller = new AbortController()
    const batches = stepsOf((listener) =>
      extractive.stream(modelRequest({ signal: controller.signal }), listener),
    )
    await batches.next()
    controller.abort(new Error('disconnected'))
    await expect(batches.next()).rejects.toThrow('disconnected')
  })
})
