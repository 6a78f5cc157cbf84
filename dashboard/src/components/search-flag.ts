/** A dialog that is open while the URL says so: `?create=true`. */
export function flag<Name extends string>(
  search: Record<string, unknown>,
  name: Name,
): { readonly [Key in Name]?: true } {
  // TypeScript widens an object with a computed key; this one has only `name`.
  return search[name] === true ? ({ [name]: true } as { readonly [Key in Name]?: true }) : {}
}
