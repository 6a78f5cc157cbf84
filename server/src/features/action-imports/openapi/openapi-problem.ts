/** Why a document cannot be imported, as a sentence for the person who gave it. */
export class OpenApiProblem extends Error {
  override readonly name = 'OpenApiProblem'
}

export const maxDocumentLength = 2_000_000
