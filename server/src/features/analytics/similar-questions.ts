import { analyseQuestion } from '#features/text-analysis/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import { askingWords } from './group-questions.ts'

/** How much of the weight of their words two wordings of a question share at least. */
const leastShared = 0.5

/** Wordings beyond these are compared with none: the time grows with the square of their number. */
const mostCompared = 500

/** Further words of a question are not compared. */
const mostWords = 24

/** Words of courtesy and of asking, which say nothing about what is asked for. */
const fillers = new Set(
  `any anyone anything get give just know let like me need one please possible some someone something
  tell there want bitte denn dir eigentlich einfach etwas gerne gern gibt haben hätte irgendwie kann
  können könnte könnten lassen mal man meine meinem meinen meiner mich mir möchte möchten möglich will
  wissen würde`.split(/\s+/),
)

interface Stems {
  readonly plain: ReadonlySet<string>
  readonly german: ReadonlySet<string>
  /** Such as "when": other ones ask for something else. */
  readonly asking: string
}

function stemsOf(question: string): Stems {
  const telling = question.replaceAll(/\p{L}+/gu, (word) => (fillers.has(word) ? ' ' : word))
  const words = analyseQuestion(telling).slice(0, mostWords)
  return {
    plain: new Set(words.map(({ term }) => term)),
    german: new Set(words.map(({ term, forms }) => forms.at(-1) ?? term)),
    asking: askingWords(question).join(' '),
  }
}

/**
 * Assigns questions that mean the same to each other, as far as their words show it: they share most of
 * their words, and rare words count more. "Do you ship to Norway?" and "Can you ship my order to Norway?"
 * are one question, "Do you ship to Spain?" is another one.
 *
 * @param questions in lower case, the most important first
 * @returns for each question the index of the first one like it, which can be its own
 */
export async function likenQuestions(questions: readonly string[]): Promise<number[]> {
  const slice = new CpuSlice()
  const stems: Stems[] = []
  for (const question of questions.slice(0, mostCompared)) {
    if (slice.isOver) await slice.next()
    stems.push(stemsOf(question))
  }
  const weigh = {
    plain: weigher(stems.map(({ plain }) => plain)),
    german: weigher(stems.map(({ german }) => german)),
  }
  const isAlike = (one: Stems, other: Stems) =>
    (one.asking === '' || other.asking === '' || one.asking === other.asking) &&
    (shares(one.plain, other.plain, weigh.plain) || shares(one.german, other.german, weigh.german))
  const firsts = { plain: new Candidates(weigh.plain), german: new Candidates(weigh.german) }
  const likes: number[] = []
  for (const [index, own] of stems.entries()) {
    if (slice.isOver) await slice.next()
    const { plain, german } = own
    const candidates = new Set([...firsts.plain.of(plain), ...firsts.german.of(german)])
    const ordered = [...candidates].toSorted((one, other) => one - other)
    const first = ordered.find((at) => isAlike(stems[at] ?? own, own))
    if (first === undefined) {
      firsts.plain.add(index, plain)
      firsts.german.add(index, german)
    }
    likes.push(first ?? index)
  }
  return questions.map((_, index) => likes[index] ?? index)
}

/**
 * The questions that one may be alike. Two that are alike have words in common that are at least
 * `leastShared` of the weight of each. So the heaviest of these words is, in both, among the heaviest
 * words without which less than that is left, and only those are looked up.
 */
class Candidates {
  readonly #weigh: Weigh
  readonly #byWord = new Map<string, number[]>()

  constructor(weigh: Weigh) {
    this.#weigh = weigh
  }

  add(index: number, words: ReadonlySet<string>): void {
    for (const word of this.#heaviest(words)) {
      const known = this.#byWord.get(word)
      if (known === undefined) this.#byWord.set(word, [index])
      else known.push(index)
    }
  }

  of(words: ReadonlySet<string>): readonly number[] {
    return this.#heaviest(words).flatMap((word) => this.#byWord.get(word) ?? [])
  }

  #heaviest(words: ReadonlySet<string>): string[] {
    const weighed = [...words]
      .map((word) => ({ word, weight: this.#weigh(word) }))
      // All questions need the same order of words.
      .toSorted((one, other) => other.weight - one.weight || (one.word < other.word ? -1 : 1))
    const whole = weighed.reduce((sum, { weight }) => sum + weight, 0)
    let left = whole
    // Sums of the same weights in another order differ in their last digits.
    const enough = leastShared * whole * (1 - 1e-9)
    const end = weighed.findIndex(({ weight }) => (left -= weight) < enough)
    return weighed.slice(0, end + 1).map(({ word }) => word)
  }
}

type Weigh = (word: string) => number

/** Words of few questions weigh more. */
function weigher(sets: readonly ReadonlySet<string>[]): Weigh {
  const counts = new Map<string, number>()
  for (const set of sets) for (const word of set) counts.set(word, (counts.get(word) ?? 0) + 1)
  return (word) => Math.log(2 + sets.length / (counts.get(word) ?? 1))
}

/** The weighted Jaccard index; one word in common is never enough. */
function shares(one: ReadonlySet<string>, other: ReadonlySet<string>, weigh: Weigh): boolean {
  let [common, shared, all] = [0, 0, 0]
  for (const word of one) {
    const weight = weigh(word)
    all += weight
    if (!other.has(word)) continue
    common += 1
    shared += weight
  }
  if (common < 2) return false
  for (const word of other) if (!one.has(word)) all += weigh(word)
  return shared >= leastShared * all
}
