export { catalogFaults } from './catalog-faults.ts'
export {
  commercePatch,
  commerceSettings,
  readCommerceSettings,
  type CommercePatch,
  type CommerceSettings,
  type DiscountCode,
  type PickupLocation,
  type ShippingOption,
  type TaxRate,
} from './commerce-settings.ts'
export { importProducts, type ImportSummary } from './import-products.ts'
export {
  getProduct,
  listProducts,
  listProductsOnSale,
  productsById,
  type ProductSearch,
} from './list-products.ts'
export {
  currencyCode,
  maxLines,
  maxPriceMinor,
  maxQuantity,
  productFields,
  productPatch,
  webUrl,
  type ProductPatch,
} from './product-fields.ts'
export {
  addPortableShop,
  maxPortableProducts,
  readPortableShop,
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
export { reserveStock, returnStock } from './stock.ts'
export {
  getCommerceSettings,
  updateCommerceSettings,
  type AgentCommerce,
} from './update-commerce-settings.ts'
export { deleteProduct, upsertProduct, type UpsertProduct } from './upsert-product.ts'
