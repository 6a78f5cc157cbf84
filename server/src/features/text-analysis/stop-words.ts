import { foldWord } from './stem-word.ts'

/**
 * Function words, which carry no meaning of their own. One list serves all texts, because a few words do
 * not show their language. Words that have a meaning in another common language (`die`, `war`, `not`) are
 * among the ambiguous ones instead.
 */
const english = setOf(`
  a and are as at be been but by can could did do does for from had has have how i if in into is
  its my of on or our she should such than that the their them then there these they this those to
  we were what when where which who whom why with would you your
`)

const german = setOf(`
  auf aus auch bei dem den der des das dass ein eine einem einen einer eines er es für haben ich
  ihr im ist mit nach nicht oder sich sie sind und von vom wann welche welchen welcher welches
  wenn werden wer wie wir wird wo wurde wurden zu zum zur über
`)

const others = setOf(`
  an it was
  أن أو إلى إن التي الذي الذين على عن في كان كانت كيف لا لم ما متى من هذا هذه هل هو هي و
  什么 怎么 我们 你们 他们 这个 那个 可以 是否
  です ます した する して から まで これ それ この その ある いる
`)

/**
 * Words that say nothing in a question of one language, but mean something in another: `die` beside
 * `wie`, `will` beside `what`. `evidence` are the words that show the language.
 */
export const ambiguous = [
  { evidence: english, words: setOf('am also not no so will') },
  { evidence: german, words: setOf('als also am bin die hat kann man mein sein so war will') },
]

/**
 * Stop words of Romance languages that are not also German words or, like `de` and `com`, parts of
 * addresses.
 */
const romance = setOf(`
  con dans del della el em est et il la las le les los para por pour que sur un una une
`)

/** Terms that also show that a text is German. */
const germanSigns = setOf(`
  bis die durch ihre ihren jede jeder jedes kann kein keine keinen noch nur ohne sehr uns unser
  unsere unseren
`)

/** Words that show no language: `in` is in both, `mit` is a license, `es` a module format. */
const sharedWords = setOf('in mit es')

/** Words that show the language of a text. */
export const wordsOfLanguages = {
  english: english.difference(sharedWords),
  german: german.union(germanSigns).difference(sharedWords),
  romance,
} as const satisfies Readonly<Record<string, ReadonlySet<string>>>

/** Words that are never terms, folded, before stemming. */
export const stopWords: ReadonlySet<string> = new Set([...english, ...german, ...others])

/** Han characters without a meaning of their own, which every text contains. */
export const emptyCharacters: ReadonlySet<string> = new Set(
  '的了是在我你您他她它们們吗嗎呢吧啊什么麼怎哪谁誰几幾何如和与與或也都就很被把对對从從到这這那个個有没沒不能会會要可以为為请請',
)

function setOf(words: string): Set<string> {
  return new Set(words.trim().split(/\s+/).map(foldWord))
}
