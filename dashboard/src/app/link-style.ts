/** The links of the sidebar. */
export const linkStyle =
  'flex min-w-0 items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm text-soft hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-ground aria-[current=page]:font-medium aria-[current=page]:text-accent [&_svg]:size-4.5 [&_svg]:shrink-0'
