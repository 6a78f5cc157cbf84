import { safeAddress } from '#features/build/index.ts'

/** The address of a page or passage. It comes from people and pages, so only web URLs become links. */
export function WebAddress({ address }: { readonly address: string }) {
  const href = safeAddress(address)
  if (href === null) return <span className="text-[0.8125rem] break-all text-soft">{address}</span>
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-[0.8125rem] break-all text-accent hover:underline"
    >
      {address}
    </a>
  )
}
