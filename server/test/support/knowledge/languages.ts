/** Texts with titles in the languages that full-text search must support. */
export const textsOfLanguages: Readonly<Record<string, string>> = {
  Returns: 'You can return an item within 30 days. Refunds are paid to your card.',
  Shipping: 'Shipping takes two days. Express deliveries arrive the next morning.',
  Warranty: 'The warranty covers manufacturing defects for two years.',
  Lieferung: 'Die Lieferzeit beträgt drei Werktage. Bücher werden portofrei geliefert.',
  退货政策: '您可以在三十天内退货。退款将退回到您的银行卡。',
  配送について: '東京都内の配送には二日かかります。送料は無料です。',
  الإرجاع: 'يمكنك إرجاع المنتجات خلال ثلاثين يوما. سياسة الإرجاع مجانية.',
}

/** A question in one of these languages, and the title of the text that answers it. */
export const questionsOfLanguages: readonly (readonly [string, string])[] = [
  ['How do I get a refund for returned items?', 'Returns'],
  ['express delivery', 'Shipping'],
  ['Is a manufacturing defect covered?', 'Warranty'],
  ['Wie lange sind die Lieferzeiten?', 'Lieferung'],
  ['ein Buch', 'Lieferung'],
  ['退款什么时候到银行卡', '退货政策'],
  ['東京の送料はいくらですか', '配送について'],
  ['ما هي سياسة إرجاع المنتج؟', 'الإرجاع'],
]
