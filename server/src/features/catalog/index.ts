export { catalogFaults } from './catalog-faults.ts'
export {
  commercePatch,
  commerceSettings,
  type CommercePatch,
  type CommerceSettings,
  type DiscountCode,
  type PickupLocation,
  type ShippingOption,
  type TaxRate,
} from './commerce-settings.ts'
export { removeHidden, type HiddenParts } from './hidden-products.ts'
export { csvFields } from './csv-columns.ts'
export { importProducts, previewImport } from './import-products.ts'
export { getProduct, listProducts, listProductsOnSale, productsById } from './list-products.ts'
export {
  currencyCode,
  maxLines,
  maxQuantity,
  productFields,
  productPatch,
  webUrl,
  type ProductPatch,
} from './product-fields.ts'
export {
  addShopSettings,
  maxPortableProducts,
  readPortableShop,
  storeHiddenShop,
  type PortableShop,
} from './portable-shop.ts'
export {
  availabilityOf,
  fulfillmentTypes,
  type Availability,
  type FulfillmentType,
  type Product,
} from './product.ts'
export { requireShop, shopSettings, type Shop } from './shop.ts'
export { peekShelf, shelfState, type ShelfState } from './shelf-state.ts'
export { reserveStock, returnStock } from './stock.ts'
export { sellsProducts } from './store.ts'
export {
  getCommerceSettings,
  updateCommerceSettings,
  type AgentCommerce,
} from './update-commerce-settings.ts'
export { deleteProduct, upsertProduct } from './upsert-product.ts'
