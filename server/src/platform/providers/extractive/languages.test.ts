import { describe, expect, it } from 'vitest'
import type { ModelAnswer, Passage } from '#platform/models/model.ts'
import { modelRequest } from '#test/support/servers/model-requests.ts'
import { extractive } from './extractive.ts'
import { replies } from './replies.ts'

function passage(text: string): Passage {
  return { sourceId: 's', title: '', url: null, page: null, heading: '', text, score: 1 }
}

const refunds = passage('Our shop opened in 1998. Refunds are paid within 14 days of the return.')

function ask(question: string, passages: readonly Passage[] = [refunds]): Promise<ModelAnswer> {
  const messages = [{ role: 'user' as const, content: question }]
  return extractive.complete(modelRequest({ messages, passages }))
}

describe('In any language', () => {
  it.each([
    ['配送需要多少天?', '我们的商店在上海。配送需要三天。退款需要两周。', '配送需要三天。'],
    [
      '配達は何日かかりますか?',
      '当店は東京にあります。配達は三日かかります。返金は二週間です。',
      '配達は三日かかります。',
    ],
    [
      'Wie lange dauert die Lieferung nach Österreich?',
      'Wir sitzen in Bonn. Die Lieferung nach Österreich dauert drei Tage. Der Laden ist schön.',
      'Die Lieferung nach Österreich dauert drei Tage.',
    ],
    [
      '¿Cuánto tarda la devolución?',
      'La tienda abre a las nueve. La devolucion tarda cinco días.',
      'La devolucion tarda cinco días.',
    ],
    [
      'Сколько длится доставка?',
      'Мы работаем с девяти. Доставка длится три дня.',
      'Доставка длится три дня.',
    ],
    [
      'هل يمكنني إرجاع المنتج؟',
      'نحن في القاهرة. إرجاع المنتجات مجاني خلال ثلاثين يوما. المتجر جميل جدا.',
      'إرجاع المنتجات مجاني خلال ثلاثين يوما.',
    ],
    [
      'كم تستغرق مدة التوصيل؟',
      'يقع متجرنا في القاهرة. التوصيل يستغرق ثلاثة أيام. المتجر جميل جدا.',
      'التوصيل يستغرق ثلاثة أيام.',
    ],
  ])('%s', async (question, text, answer) => {
    const given = await ask(question, [passage(text)])
    expect(given.text).toContain(answer)
    const others = text.split(/(?<=[.。])\s*/).filter((sentence) => sentence !== answer)
    for (const other of others.filter(Boolean)) expect(given.text).not.toContain(other)
    expect(given.citedPassages).toEqual([0])
  })
})

describe('A greeting', () => {
  it.each([
    ['Hello', 'en'],
    ['hi!', 'en'],
    ['Good morning.', 'en'],
    ['What can you do?', 'en'],
    ['Hallo', 'de'],
    ['Bonjour !', 'fr'],
    ['¡Hola!', 'es'],
    ['こんにちは', 'ja'],
    ['你好', 'zh'],
    ['مرحبا', 'ar'],
    ['Привет!', 'ru'],
    ['Здравствуйте, у меня вопрос', 'ru'],
    ['Cześć!', 'pl'],
    ['Dzień dobry', 'pl'],
    ['Dobrý den', 'cs'],
    ['Merhaba', 'tr'],
    ['Günaydın!', 'tr'],
    ['Hej!', 'sv'],
    ['Goddag', 'da'],
    ['Hei', 'no'],
    ['שלום', 'he'],
    ['नमस्ते', 'hi'],
    ['สวัสดีครับ', 'th'],
  ] as const)('%s is answered with an introduction in %s', async (greeting, language) => {
    const { text, citedPassages, foundNothing } = await ask(greeting)
    expect(text).toBe(replies[language].greeting)
    expect({ citedPassages, foundNothing }).toEqual({ citedPassages: [], foundNothing: false })
  })

  it.each([
    ['Thank you very much!', replies.en.thanks],
    ['Vielen Dank', replies.de.thanks],
    ['谢谢', replies.zh.thanks],
    ['Au revoir', replies.fr.farewell],
    ['Спасибо за помощь!', replies.ru.thanks],
    ['Dziękuję bardzo', replies.pl.thanks],
    ['Teşekkür ederim', replies.tr.thanks],
    ['Tack så mycket!', replies.sv.thanks],
    ['תודה רבה', replies.he.thanks],
    ['ขอบคุณค่ะ', replies.th.thanks],
    ['धन्यवाद', replies.hi.thanks],
    ['Na shledanou', replies.cs.farewell],
    ['Hej då', replies.sv.farewell],
    ['Farvel', replies.da.farewell],
    ['Ha det bra!', replies.no.farewell],
    ['Нет.', replies.ru.askedNothing],
  ])('and other small talk get a reply: %s', async (words, answer) => {
    expect((await ask(words)).text).toBe(answer)
  })

  it.each([
    ['Hi, wie geht es dir?', replies.de.greeting],
    ['Bonjour, comment allez-vous ?', replies.fr.greeting],
    ['Can you help me?', replies.en.greeting],
    ['您好吗？', replies.zh.greeting],
    ['كيف الحال؟', replies.ar.greeting],
    ['Great, thank you so much!', replies.en.thanks],
    ['Merci pour votre aide', replies.fr.thanks],
    ['非常感谢！', replies.zh.thanks],
    ['Danke, das war alles. Tschüss!', replies.de.farewell],
    ['شكرا، مع السلامة', replies.ar.farewell],
    ['Yes.', replies.en.askedNothing],
    ['Nein', replies.de.askedNothing],
    ['Yes, hello', replies.en.greeting],
    ['Thanks, that was really helpful', replies.en.thanks],
    ['Danke, das war sehr hilfreich!', replies.de.thanks],
    ['Hallo, mein Name ist Anna Schmidt', replies.de.greeting],
    ['Bonjour, comment allez-vous aujourd’hui ?', replies.fr.greeting],
    ['¡Gracias por tu ayuda!', replies.es.thanks],
    ['Grazie mille per l’aiuto', replies.it.thanks],
    ['谢谢你的帮助', replies.zh.thanks],
    ['今日はありがとう', replies.ja.thanks],
    ['도와주셔서 감사합니다', replies.ko.thanks],
    ['Спасибо вам за помощь!', replies.ru.thanks],
    ['Are you ChatGPT?', replies.en.greeting],
    ['Tell me more, please', replies.en.askedNothing],
  ])('of several phrases, and an answer to nothing, get a reply: %s', async (words, answer) => {
    const { text, citedPassages } = await ask(words)
    expect({ text, citedPassages }).toEqual({ text: answer, citedPassages: [] })
  })

  it('followed by a question is treated as a question', async () => {
    expect((await ask('Hello, when are refunds paid?')).citedPassages).toEqual([0])
  })

  it('is none without a phrase to which the rest adds', async () => {
    expect((await ask('Refunds, please')).citedPassages).toEqual([0])
    expect((await ask('please')).foundNothing).toBe(true)
  })
})

describe('A question that the texts do not answer', () => {
  it('is of no language because of a name in code', async () => {
    expect((await ask('MOON_DIR')).text).toBe(replies.en.foundNothing)
    expect((await ask('Was ist MOON_DIR')).text).toBe(replies.de.foundNothing)
  })

  it.each([
    ['Where is the moon?', 'en'],
    ['Wie hoch ist der Mond?', 'de'],
    ['Сколько стоит билет на луну?', 'ru'],
    ['Ile kosztuje bilet na księżyc?', 'pl'],
    ['Kolik stojí lístek na měsíc?', 'cs'],
    ['Aya bilet ne kadar?', 'tr'],
    ['Hur mycket kostar en biljett?', 'sv'],
    ['Hvad koster en billet?', 'da'],
    ['Hva koster en billett?', 'no'],
    ['כמה עולה כרטיס לירח?', 'he'],
    ['चाँद का टिकट कितने का है?', 'hi'],
    ['ตั๋วไปดวงจันทร์ราคาเท่าไร', 'th'],
  ] as const)('is refused in its language: %s', async (question, language) => {
    const { text, foundNothing } = await ask(question)
    expect({ text, foundNothing }).toEqual({
      text: replies[language].foundNothing,
      foundNothing: true,
    })
  })
})
