/** The name of a heading in an address, as GitHub forms it, so that links work there as well. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

/** Names for the headings of one page: a repeated one gets a number. */
export function slugger(): (heading: string) => string {
  const uses = new Map<string, number>()
  return (heading) => {
    const slug = slugOf(heading)
    const count = uses.get(slug) ?? 0
    uses.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
}
