import { describe, expect, test } from 'vitest'
import {
  analyse,
  analyseGerman,
  analyseInSlices,
  analyseQuery,
  analyseQuestion,
} from './analyse.ts'
import { isGerman } from './is-german.ts'

describe('the analyser', () => {
  test.each([
    ['English', "The company's connections don't connect", 'compani connect don connect'],
    ['German', 'Lieferzeiten der Bücher in Zürich, größer', 'lieferzeit buch zurich gross'],
    ['German in capitals', 'STRASSE Straße', 'strass strass'],
    ['French', 'l’été à la plage', 'l ete la plage'],
    ['Chinese', '北京大学', '北 京 大 学 北京 京大 大学'],
    ['Japanese', '東京のコンピューター', '東 京 東京 コンピュータ'],
    ['Arabic', 'والكتب المدرسية في المَدْرَسَة', 'كتب مدرس مدرس'],
    ['Arabic with possessive endings', 'الانترنت قانونا حسابك', 'انترنت قانون حساب'],
    ['Thai', 'การจัดส่งสินค้า', 'การ จัด ส่ง สินค้า'],
    ['Korean', '배송은 무료', '배송 송은 무료'],
    ['Greek', 'ΟΔΟΣ οδός', 'οδος οδος'],
  ])('makes terms of %s', (_, text, terms) => {
    expect(analyse(text).join(' ')).toBe(terms)
  })

  test('forms of one word are one term', () => {
    for (const forms of [
      ['connection', 'connected', 'CONNECTING', 'connections'],
      ['Lieferzeit', 'Lieferzeiten'],
      ['Buch', 'Bücher', 'Büchern'],
      ['Bestellung', 'Bestellungen'],
      ['كتاب', 'الكتاب', 'والكتاب', 'كِتَاب'],
      ['بطاقة', 'بطاقتي', 'بطاقتك', 'بطاقته', 'بطاقتها', 'بطاقتنا', 'بطاقات', 'بطاقاتكم'],
      ['طلب', 'طلبك', 'الطلبات', 'طلباتكم', 'طلبها'],
      ['اشتراك', 'الاشتراكات', 'اشتراكي', 'اشتراكك', 'اشتراكا'],
      ['بنك', 'البنك', 'بنكي'],
      ['شركة', 'شركات', 'شركتنا'],
      ['مجانا', 'مجاني', 'مجانية'],
      ['بيت', 'بيتي', 'البيت'],
      ['コンピュータ', 'コンピューター', 'ｺﾝﾋﾟｭｰﾀ'],
      ['café', 'cafe\u0301', 'Cafe'],
      ['file', 'ﬁle', 'ＦＩＬＥ'],
    ])
      expect(new Set(forms.flatMap(analyse)), forms.join()).toHaveLength(1)
  })

  test('different words stay different', () => {
    for (const [one, other] of [
      ['listen', 'list'],
      ['مكتبة', 'كتاب'],
      ['بنك', 'ابن'],
      ['شركة', 'شريك'],
      ['港口', '口港'],
      ['policy', 'police'],
    ] as const)
      expect(analyse(one), `${one} ${other}`).not.toEqual(analyse(other))
  })

  test('numbers and codes are words', () => {
    expect(analyse('GPT-4o costs 1,000 in v2.10 (snake_case)')).toEqual(
      'gpt 4o cost 1 000 v2 10 snake case'.split(' '),
    )
  })

  test('a question has each term once, and Han pairs without their characters', () => {
    expect(analyseQuery('Tests test the testing')).toEqual(['test'])
    expect(analyseQuery('北京大学')).toEqual(['北京', '京大', '大学'])
    expect(analyseQuery('茶')).toEqual(['茶'])
  })

  test('an ambiguous stop word is dropped only from a question in its language', () => {
    expect(analyseQuery('Wie ist die Hauptstadt?')).toEqual(['hauptstadt'])
    expect(analyseQuery('What will not break?')).toEqual(['break'])
    expect(analyseQuery('die casting in the war')).toEqual(['die', 'cast', 'war'])
    expect(analyseQuery('Testament and will')).toEqual(['testament'])
    expect(analyseQuery('will')).toEqual(['will'])
  })

  test.each(['', ' \n', '😀👩‍👩‍👧', '!?', 'what is this', '그', 'は'])(
    '%j has no terms to look for',
    (text) => {
      expect(analyseQuery(text)).toEqual([])
    },
  )

  test('a term is at most 64 characters long and never ends in half a surrogate pair', () => {
    expect(analyse('a'.repeat(5000))[0]).toHaveLength(64)
    for (const term of analyse(`x${'𐌰'.repeat(100)}`)) expect(term.isWellFormed()).toBe(true)
  })

  test('a term contains no syntax of an engine', () => {
    const text = Array.from({ length: 0x3000 }, (_, n) => String.fromCharCode(n)).join(' a')
    for (const term of analyse(text)) expect(term).toMatch(/^[\p{L}\p{N}\p{M}ー々]+$/u)
  })

  test('a megabyte is analysed in less than a second', () => {
    const text = 'The boundary layer of a slender wing separates at high speed. '.repeat(17_000)
    const started = performance.now()
    analyse(text)
    expect(performance.now() - started).toBeLessThan(1000)
  })
})

describe('German', () => {
  test.each([
    ['Preis', 'Preise', 'Preises', 'Preisen'],
    ['Rechnung', 'Rechnungen'],
    ['Haus', 'Häuser', 'Häusern', 'Hauses'],
    ['Buch', 'Bücher', 'Büchern'],
    ['Kunde', 'Kunden'],
    ['Straße', 'Straßen', 'STRASSE'],
    ['Vertrag', 'Verträge', 'Vertrags', 'Verträgen'],
    ['Artikel', 'Artikels'],
    ['schnell', 'schneller', 'schnelles', 'schnellsten'],
    ['Zahlungsart', 'Zahlungsarten'],
    ['Kundin', 'Kundinnen'],
    ['Ergebnis', 'Ergebnisse', 'Ergebnissen', 'Ergebnisses'],
    ['Konto', 'Kontos'],
    ['Handy', 'Handys'],
    ['Kamera', 'Kameras'],
    ['Nutzer', 'Nutzers', 'Nutzern'],
    ['Motor', 'Motors'],
    ['kostenlos', 'kostenlose', 'kostenlosen'],
    ['Weinglas', 'Weingläser'],
    ['Preis', 'Preisen'],
  ])('the forms of %s are one term', (...forms) => {
    expect(new Set(forms.flatMap(analyseGerman)), forms.join()).toHaveLength(1)
  })

  test.each([
    ['Ware', 'Wahl'],
    ['Rechnung', 'Rechner'],
    ['Preis', 'Preiselbeere'],
    ['Kind', 'Kino'],
    ['Kasse', 'Käse'],
  ])('%s and %s stay different', (one, other) => {
    expect(analyseGerman(one)).not.toEqual(analyseGerman(other))
  })

  test.each([
    ['Der Preis beträgt zehn Euro in der Woche.', true],
    ['Rechnungen, Lieferungen', true],
    ['Größe', true],
    ['The price of the Volkswagen is ten euros in a week.', false],
    ['The quoted words "der Preis und die Ware" are not enough of them to count.', false],
    ['Preis', false],
    ['Young strung hung', false],
    ['Samsung chargers', false],
    ['License: MIT. Import dist/es/index.js', false],
    ['Die Post', true],
    [`readKey(der) ${'const key = parse bytes '.repeat(10)}`, false],
    ['El precio es de diez euros', false],
    ['Le prix des menus et les délais', false],
    ['Das Update kostet zehn Euro auf www.firma.de', true],
    ['', false],
  ])('%j is German: %s', (text, expected) => {
    expect(isGerman(text)).toBe(expected)
  })

  test('a question is searched with English and German stems', () => {
    expect(analyseQuestion('Was kosten die Preise?')).toContainEqual({
      term: 'preis',
      forms: ['preis', 'ßpreis'],
      count: 1,
    })
    expect(analyseQuestion('prices 4711').map(({ forms }) => forms)).toEqual([
      ['price', 'ßpric'],
      ['4711'],
    ])
    expect(analyseQuestion('Price of a price list')).toMatchObject([
      { term: 'price', count: 2 },
      { term: 'list', count: 1 },
    ])
    const question = 'Wie ist die Hauptstadt? 北京大学'
    expect(analyseQuestion(question).map(({ term }) => term)).toEqual(analyseQuery(question))
  })
})

describe('long texts', () => {
  const words = Array.from({ length: 100_000 }, (_, at) => `w${at.toString(36)}`)

  test('of a question are read up to a limit', () => {
    expect(analyseQuery(words.join(' '))).toHaveLength(500)
    expect(analyseQuestion(words.join(' '))).toHaveLength(500)
    expect(analyseQuery(`${' '.repeat(20_000)}late`)).toEqual([])
  })

  test('are analysed in slices with the same terms', async () => {
    const text = words.join(' ')
    const known = new Set<string>()
    let turns = 0
    const timer = setInterval(() => (turns += 1), 1)
    await analyseInSlices(text, known)
    clearInterval(timer)
    expect(turns).toBeGreaterThan(3)
    expect(known).toEqual(new Set(analyse(text)))
  })
})
