/** A dialog that an address opens: `?create=true`. */
export function flag<Name extends string>(
  search: Record<string, unknown>,
  name: Name,
): { readonly [Key in Name]?: true } {
  // One known key: the compiler takes a computed one for any.
  return search[name] === true ? ({ [name]: true } as { readonly [Key in Name]?: true }) : {}
}
