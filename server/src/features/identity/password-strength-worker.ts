import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { z } from 'zod'
import type { TaskRunner } from '#platform/bounded-workers/bounded-workers.ts'

/** The time of an analysis grows faster than the length; a longer password repeats its beginning. */
const maxAnalysed = 64

const zxcvbn = new ZxcvbnFactory({
  dictionary,
  graphs: adjacencyGraphs,
  maxLength: maxAnalysed,
})

const taskSchema = z.object({ password: z.string(), known: z.array(z.string()) })

/**
 * Answers with the score of a password, from 0 (guessed at once) to 4. The words about the account
 * do not count: what is left without them must be hard to guess.
 */
export const runTask: TaskRunner = function* (task) {
  const { password, known } = taskSchema.parse(task)
  const scores = [password, withoutWords(password, known)].map(
    (text) => zxcvbn.check(text, [...known, ...known.map(plain)]).score,
  )
  yield Math.min(...scores)
}

/** Shorter words occur in other words. */
const shortestWord = 3
const mostWords = 200

/** Characters that people type for a letter. */
const lookalikes: Readonly<Record<string, string>> = {
  a: '[a4@]',
  b: '[b8]',
  e: '[e3]',
  g: '[g9]',
  i: '[i1!|]',
  l: '[l1!|]',
  o: '[o0]',
  s: '[s5$]',
  t: '[t7+]',
  z: '[z2]',
}

/** Removes the words, also without accents, in capitals, or with digits for letters. */
function withoutWords(password: string, known: readonly string[]): string {
  const words = known
    .flatMap((text) => plain(text).split(/[^\p{L}\p{N}]+/u))
    .filter((word) => word.length >= shortestWord)
  const longestFirst = [...new Set(words)].toSorted((one, other) => other.length - one.length)
  return longestFirst.slice(0, mostWords).reduce((rest, word) => {
    const letters = Array.from(word, (letter) => lookalikes[letter] ?? letter)
    return rest.replaceAll(new RegExp(letters.join(''), 'gu'), '')
  }, plain(password))
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
}
