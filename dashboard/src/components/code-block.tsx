import { CopyButton } from './copy-button.tsx'

export interface CodeBlockProps {
  readonly code: string
  /** Names the text for screen readers and on the copy button. */
  readonly label: string
}

/** Text to copy exactly as it is. */
export function CodeBlock({ code, label }: CodeBlockProps) {
  return (
    <div className="relative rounded-xl border border-line bg-quiet">
      {/* Focusable, so that the keyboard can scroll it sideways. On narrow screens the button is above. */}
      <pre
        role="region"
        aria-label={label}
        tabIndex={0}
        className="overflow-x-auto p-4 font-mono text-[0.8125rem] leading-relaxed max-sm:pt-14 sm:pr-24"
      >
        <code>{code}</code>
      </pre>
      <div className="absolute top-2.5 right-2.5">
        <CopyButton text={code} label={label} />
      </div>
    </div>
  )
}
