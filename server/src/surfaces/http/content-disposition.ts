/** A `Content-Disposition` (RFC 6266), with the name in the encoding of RFC 8187. */
export function contentDisposition(how: 'attachment' | 'inline', filename: string): string {
  const name = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${how}; filename*=UTF-8''${name}`
}
