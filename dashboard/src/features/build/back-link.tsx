import { Link, type LinkProps } from '@tanstack/react-router'
import { ArrowLeft } from '#ui/icons.ts'

export interface BackLinkProps {
  readonly link: Pick<LinkProps, 'to' | 'params'>
  readonly children: string
}

/** To the list that a page is of. */
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
