import { normalized } from '#kernel/normalized.ts'

/** `Intl.Segmenter` also splits languages that write no spaces. */
const sentenceSegmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })
const wordSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/**
 * Words in lowercase, in compatibility form and without diacritics: `what's` is `what`, `l'eau` is
 * `l` and `eau`, `MAX_BODY_BYTES` is three words.
 */
export function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const { segment, isWordLike } of wordSegmenter.segment(plain(text)))
    if (isWordLike === true) words.push(segment)
  return words
}

/** Pieces of at most `size` words with the characters between them; joined they are the text. */
export function wordGroups(text: string, size: number): string[] {
  const groups: string[] = []
  let group = ''
  let words = 0
  for (const { segment, isWordLike } of wordSegmenter.segment(text)) {
    if (isWordLike === true && words === size) {
      groups.push(group)
      group = ''
      words = 0
    }
    group += segment
    if (isWordLike === true) words += 1
  }
  return group === '' ? groups : [...groups, group]
}

/** A line at least this long that continues on the next was broken to fit a page. */
const wrappedLineLength = 50

const listMarker = /^\s*([-*+•·#>|]|\d{1,3}[.)]|```)/

/**
 * The sentences of a passage in order, unchanged except for their line breaks. Lines of a list and
 * headings are sentences of their own.
 */
export function sentencesOf(text: string): string[] {
  return blocksOf(text).flatMap((block) => {
    const sentences: string[] = []
    let begun = ''
    for (const { segment } of sentenceSegmenter.segment(block)) {
      begun += segment
      if (abbreviation.test(begun)) continue
      sentences.push(begun.trim())
      begun = ''
    }
    return [...sentences, begun.trim()].filter((sentence) => sentence !== '')
  })
}

/** Abbreviations that a word with a capital may follow within a sentence: `Dr. Smith`, `z. B. Hunde`. */
const abbreviation =
  /(?:^|[\s(„“"])(?:Dr|Mr|Mrs|Ms|Prof|St|Hr|Fr|Sr|Sra|Mme|Nr|Art|Abs|Tel|Fig|Abb|Str|approx|vs|e\.g|i\.e|ca|bzw|inkl|exkl|zzgl|ggf|evtl|vgl|mind|max|bspw|\p{L})\.\s+$/u

function blocksOf(text: string): string[] {
  const blocks: string[] = []
  let previous = ''
  for (const line of text.split(/\r\n?|\n/)) {
    const carriesOn =
      line.trim() !== '' &&
      !listMarker.test(line) &&
      previous.length >= wrappedLineLength &&
      !/[.!?:。！？：]\s*$/.test(previous)
    const last = blocks.length - 1
    if (carriesOn) blocks[last] = `${(blocks[last] ?? '').trimEnd()} ${line.trim()}`
    else blocks.push(line)
    previous = line
  }
  return blocks
}

const namesOfSigns = new Map(
  Object.entries({ '°': 'degrees', '%': 'percent', '€': 'euros', $: 'dollars', '£': 'pounds' }),
)

function plain(text: string): string {
  return normalized(text, 'NFKD')
    .replace(/\p{Mn}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=\p{L})['’]s\b/gu, '')
    .replace(/(?<=n)['’](?=t\b)/gu, '')
    .replace(/['’_]/g, ' ')
    .replace(/(?<![\p{L}\p{N}])\d+(?=\p{L})/gu, '$& ')
    .replace(/[°%€$£]/g, (sign) => ` ${namesOfSigns.get(sign)} `)
}
