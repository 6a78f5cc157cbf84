export {
  endVisits,
  getChatPage,
  rotateIdentitySecret,
  updateChatPage,
  type ChatPage,
  type PageDomain,
} from './chat-page.ts'
export { giveUpAddresses } from './change-address.ts'
export { checkDomainNow, checkDomains } from './check-domain.ts'
export { domain, domainOfHost, slug } from './page-address.ts'
export { createKnownDomains, type KnownDomains } from './known-domains.ts'
export { isKnownDomain, pageAtDomain, type AtDomain } from './page-at-domain.ts'
export {
  chatPagePatch,
  defaultPageSettings,
  chatPageSettings,
  pageAccesses,
  type ChatPageSettings,
  editorSources,
} from './chat-page-settings.ts'
export { allowedCards } from './allowed-cards.ts'
export { acceptedFiles, type VisitorFile } from './visitor-files.ts'
export { captchaOf, type Captcha } from './captcha.ts'
export { iconSizes, appIcon, type IconSize } from './page-icon.ts'
export { openPage, openPageOfKey, type OpenPage } from './open-page.ts'
export { requireRoomForMessage } from './limit-visitor.ts'
export { sealLinks } from './seal-links.ts'
export { sendMessage } from './send-message.ts'
export {
  listOwnConversations,
  rateOwnAnswer,
  readOwnConversation,
  settleVisit,
} from './visitor-conversations.ts'
export { beginVisit, proofOfLink, renewVisit, requireVisit, type Visit } from './visit.ts'
export type { VisitClaims } from './visit-token.ts'
export { beginWidgetVisit, createEditorPass, readEditorPass, requireEmbedding } from './widget.ts'
export { countWidgetLoad, widgetUse } from './widget-loads.ts'
export { visitorFaults } from './visitor-faults.ts'
export { bestOn, contrastWithPaper } from './contrast.ts'
export { pairNames, pairsOf, variablesOf } from './look.ts'
export { noteSecretShown } from './show-secret.ts'
