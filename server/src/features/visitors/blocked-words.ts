import { CpuSlice } from '#kernel/cpu-slice.ts'
import { normalized } from '#kernel/normalized.ts'

/** Letters of languages that put no spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** Characters without a shape, such as soft hyphens: they would divide a word that looks whole. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu
const notOfWords = /[^\p{L}\p{M}\p{N}]+/gu

/** Of text that is changed or searched without a look at the clock. */
const pieceLength = 8192

/**
 * Form NFKC may be eighteen times as long as a text: a text for people grows far less. What grows more
 * is treated as if it contained a blocked word.
 */
const mostGrowth = 4
const alwaysFits = 1000

/**
 * Whether a text contains one of the words, whatever their case and width: whole words, so that `ass` is
 * not found in `class`, and every occurrence in languages that put no spaces between words. It works in
 * slices of time.
 */
export async function containsAny(text: string, words: readonly string[]): Promise<boolean> {
  if (words.length === 0) return false
  const slice = new CpuSlice()
  const plain = await plainOf(text, text.length * mostGrowth + alwaysFits, slice)
  if (plain === null) return true
  const spaced = await spacedOf(plain, slice)
  for (const wanted of await wantedOf(words, slice))
    if (await finds(unspaced.test(wanted) ? plain : spaced, wanted, slice)) return true
  return false
}

/** What is looked for, by the list: one object, as long as the settings of a page stay the same. */
const wantedBy = new WeakMap<readonly string[], readonly string[]>()

async function wantedOf(words: readonly string[], slice: CpuSlice): Promise<readonly string[]> {
  const known = wantedBy.get(words)
  if (known !== undefined) return known
  const wanted: string[] = []
  for (const word of words) {
    const plain = (await plainOf(word, Number.POSITIVE_INFINITY, slice)) ?? ''
    const sought = unspaced.test(plain) ? plain : await spacedOf(plain, slice)
    // A word of invisible characters would be found everywhere.
    if (sought.trim() !== '') wanted.push(sought)
  }
  wantedBy.set(words, wanted)
  return wanted
}

/** A text in one form, case and width; null if it becomes longer than `most`. */
async function plainOf(text: string, most: number, slice: CpuSlice): Promise<string | null> {
  let room = most
  const grown = await inPieces(text, slice, (piece) => {
    const plain = room < 0 ? '' : normalized(piece, 'NFKC')
    room -= plain.length
    return plain.replace(invisible, '')
  })
  // Again, because what belongs together may have been in two pieces, or divided.
  return room < 0 ? null : normalized(grown, 'NFKC').toLowerCase()
}

/** The words of a text with one space around each. */
async function spacedOf(plain: string, slice: CpuSlice): Promise<string> {
  const words = await inPieces(plain, slice, (piece) => piece.replace(notOfWords, ' '))
  return ` ${words.trim()} `.replace(/ {2,}/g, ' ')
}

async function finds(text: string, wanted: string, slice: CpuSlice): Promise<boolean> {
  for (let at = 0; at < text.length; at += pieceLength) {
    if (slice.isOver) await slice.next()
    if (text.slice(at, at + pieceLength + wanted.length).includes(wanted)) return true
  }
  return false
}

/** A text whose pieces are changed in slices of time. A surrogate pair is never divided. */
async function inPieces(
  text: string,
  slice: CpuSlice,
  change: (piece: string) => string,
): Promise<string> {
  const changed: string[] = []
  for (let at = 0, end = 0; at < text.length; at = end) {
    if (slice.isOver) await slice.next()
    end = at + pieceLength
    const isHigh = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
    if (isHigh) end += 1
    changed.push(change(text.slice(at, end)))
  }
  return changed.join('')
}
