export const compare = {
  title: 'Compare',
  hint: 'Ask two versions or two models the same questions. Comparisons use credits, but are not stored and do not count in analytics.',
  left: 'First',
  right: 'Second',
  draft: 'Draft',
  published: 'Published (version {version})',
  model: 'Draft with {model}',
  score: 'Better answers:',
  better: 'This answer is better',
} as const
