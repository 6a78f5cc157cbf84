/** Why a curl line cannot become an action, as a sentence for the person who pasted it. */
export class CurlProblem extends Error {
  override readonly name = 'CurlProblem'
}
