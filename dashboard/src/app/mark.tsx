/** The product's logo. Its name is beside it. */
export function Mark({ className }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden focusable="false">
      <path
        className="fill-accent"
        d="M6 4h14a4 4 0 0 1 4 4v7a4 4 0 0 1-4 4h-7l-6 5v-5H6a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z"
      />
      <path
        fill="#e2793f"
        d="M26 12a4 4 0 0 1 4 4v6a4 4 0 0 1-4 4h-1v4l-5-4h-5a4 4 0 0 1-4-4h9a7 7 0 0 0 6-7z"
      />
    </svg>
  )
}
