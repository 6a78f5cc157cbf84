/** Long enough to tell chunks of a source apart, short enough for a URL. */
const endLength = 80

/** The first and last characters of a passage: how links name it. */
export function passageEnds(passage: string): { readonly start: string; readonly end: string } {
  const characters = [...passage]
  return {
    start: characters.slice(0, endLength).join(''),
    end: characters.slice(-endLength).join(''),
  }
}
