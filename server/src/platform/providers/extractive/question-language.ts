import { wordsOfLanguage } from './function-words.ts'
import type { Language } from './replies.ts'
import { wordsOf } from './sentences.ts'

const scripts: readonly (readonly [RegExp, Language])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Thai}/u, 'th'],
]

/**
 * Words by which questions in other languages are recognised, in lowercase and without diacritics. They
 * are no function words: as such, they would be left out of questions in every language.
 */
const marks = {
  pl: 'czy jak gdzie kiedy jest moge mozna ile dla nie sie jaki jakie jaka mam macie dlaczego ktory',
  cs: 'jak kde kdy jsou mohu muzu kolik pro neni jaky jake jaka proc ktery lze',
  tr: 'nasil nasıl nerede zaman mı mu var bir icin kac kadar nedir olur hangi neden',
  sv: 'hur vad var nar jag ar och inte det finns har vilka varfor hos mycket',
  da: 'hvordan hvad hvor hvornar jeg og ikke det findes har hvilke hvorfor hos meget af',
  no: 'hvordan hva hvor nar jeg og ikke det finnes har hvilke hvorfor hos mye av',
} as const satisfies Partial<Record<Language, string>>

/** Of languages with as many words in a question, an earlier one wins: its words say more. */
const lists: readonly (readonly [Language, ReadonlySet<string>])[] = [
  ['en', wordsOfLanguage.get('en') ?? new Set()],
  ...Object.entries(marks).map(
    // Object.entries forgets the type of its keys.
    ([language, words]) => [language as Language, new Set(words.split(' '))] as const,
  ),
  ...wordsOfLanguage,
]

/** Names in code are of no language: `DATA_DIR` is not German, although *dir* is. */
const codeName = /`[^`]*`|[\p{L}\p{N}]+(?:[_./][\p{L}\p{N}]+)+/gu

/** The language of a question, by its script or its commonest words; English if neither shows it. */
export function languageOf(question: string): Language {
  const words = wordsOf(question.replace(codeName, ' '))
  const written = scripts.find(([script]) => script.test(question))
  if (written !== undefined) return written[1]
  let best: Language = 'en'
  let most = 0
  for (const [language, known] of lists) {
    const count = words.filter((word) => known.has(word)).length
    if (count > most) [best, most] = [language, count]
  }
  return best
}
