/**
 * Function words, which say nothing of what a text is about. A word that carries meaning in another
 * of the big languages is not here (`die`, `war`, `not`, `man`, `will`): the same list is used for
 * every text, because a query of two words does not tell its language.
 */
const words = `
  a an and are as at be been but by can could did do does for from had has have how i if in into is
  its my of on or our she should such than that the their them then there these they this those to
  was we were what when where which who whom why with would you your
  auf aus auch bei dem den der des das dass ein eine einem einen einer eines er es für haben hat ich
  ihr im ist mit nach nicht oder sich sie sind und von vom wann was welche welchen welcher welches
  wenn werden wer wie wir wird wo wurde wurden zu zum zur über
  أن أو إلى إن التي الذي الذين على عن في كان كانت كيف لا لم ما متى من هذا هذه هل هو هي و
  什么 怎么 我们 你们 他们 这个 那个 可以 是否
  です ます した する して から まで これ それ この その ある いる
`

/** In the form of a folded word, before stemming. */
export const stopWords: ReadonlySet<string> = new Set(
  words
    .trim()
    .split(/\s+/)
    .map((word) => word.normalize('NFD').replaceAll(/(?<=[a-z])\p{Mn}/gu, '')),
)
