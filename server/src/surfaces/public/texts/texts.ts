import { en, type Texts } from './en.ts'
import { de } from './de.ts'
import { fr } from './fr.ts'
import { es } from './es.ts'
import { it } from './it.ts'
import { pt } from './pt.ts'
import { nl } from './nl.ts'
import { pl } from './pl.ts'
import { tr } from './tr.ts'
import { ar } from './ar.ts'
import { zh } from './zh.ts'
import { ja } from './ja.ts'
import { parseAccept } from 'hono/utils/accept'

const languages = {
  en,
  de,
  fr,
  es,
  it,
  pt,
  nl,
  pl,
  tr,
  ar,
  zh,
  ja,
} as const satisfies Record<string, Texts>

export type Language = keyof typeof languages

export const languageCodes = Object.keys(languages)

export interface Spoken {
  readonly code: Language
  readonly direction: 'ltr' | 'rtl'
  readonly texts: Texts
}

/** The visitor's first language that the catalogue has, by `Accept-Language`; English without one. */
export function languageOf(accepted: string | undefined): Spoken {
  const wanted = parseAccept(accepted ?? '')
    .filter(({ q }) => q > 0)
    .map(({ type }) => type.toLowerCase().split('-')[0] ?? '')
  const code = wanted.find(isLanguage) ?? 'en'
  return { code, direction: code === 'ar' ? 'rtl' : 'ltr', texts: languages[code] }
}

function isLanguage(code: string): code is Language {
  return Object.hasOwn(languages, code)
}
