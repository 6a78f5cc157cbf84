import { Link, type LinkProps } from '@tanstack/react-router'
import { ArrowLeft } from '#ui/icons.ts'

export interface BackLinkProps {
  readonly link: Pick<LinkProps, 'to' | 'params'>
  readonly children: string
}

/** A link back to the list. */
export function BackLink({ link, children }: BackLinkProps) {
  return (
    <Link
      {...link}
      className="mb-3 inline-flex items-center gap-1.5 rounded text-sm text-soft hover:text-ink"
    >
      <ArrowLeft className="size-4" aria-hidden />
      {children}
    </Link>
  )
}
