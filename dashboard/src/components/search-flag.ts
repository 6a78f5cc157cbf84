/** A dialog that an address opens: `?create=true`. */
export function flag<Name extends string>(
  search: Record<string, unknown>,
  name: Name,
): { readonly [Key in Name]?: true } {
  // The type of an object with a computed key is too wide; it has just this one.
  return search[name] === true ? ({ [name]: true } as { readonly [Key in Name]?: true }) : {}
}
