/** Why a token is refused, in words that contain nothing of the token: they are logged. */
export class IdentityProblem extends Error {
  override readonly name = 'IdentityProblem'
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}
