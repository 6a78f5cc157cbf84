import type { ChatPage } from './chat-page-fields.tsx'

/**
 * The page for a frame of the dashboard. It is at the service, also if the page has a domain of its own:
 * the dashboard may frame no other address. A page for people
 * who sign in is entered through the sign-in.
 *
 * @param name the agent's `app_name_id`
 */
export function previewAddress(page: ChatPage, name: string, baseUrl: string): string {
  const isForPeople = page.access === 'members' || page.access === 'openid'
  const address = new URL(`${baseUrl}${isForPeople ? '/login' : ''}/chat/${page.slug || name}`)
  address.search = new URL(page.url).search
  address.searchParams.set('preview', '')
  return address.href
}
