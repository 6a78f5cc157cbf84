/** The modules that dashboard/icons-plugin.ts generates from Lucide's icons. */
declare module 'icon:*' {
  import type { ReactElement, SVGProps } from 'react'

  export function Icon(props: SVGProps<SVGSVGElement>): ReactElement
}
