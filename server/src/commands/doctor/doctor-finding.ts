/** What one check found; a failure includes a fix. */
export type Finding =
  | { readonly check: string; readonly ok: true; readonly note: string }
  | { readonly check: string; readonly ok: false; readonly note: string; readonly fix: string }
