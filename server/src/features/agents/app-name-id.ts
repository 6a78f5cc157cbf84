import { normalized } from '#kernel/normalized.ts'

const maxSlugLength = 48

/** Letters that Unicode does not decompose into a Latin letter and a mark. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
}

/** `<slug>-<number>`: chat clients send it as `model`. It never changes, even if the name does. */
export function appNameId(name: string, number: number): string {
  return `${slugOf(name)}-${number}`
}

/** Lowercase ASCII letters, digits and single hyphens; `agent` for a name without any. */
function slugOf(name: string): string {
  const slug = normalized(name, 'NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøđðłþı]/g, (letter) => plainLetters[letter] ?? letter)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxSlugLength)
    .replace(/^-+|-+$/g, '')
  return slug === '' ? 'agent' : slug
}
