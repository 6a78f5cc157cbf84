export interface CatalogSchema {
  commerce_settings: {
    agent_id: string
    workspace_id: string
    settings_json: string
    created_at: number
    updated_at: number
  }
  products: {
    id: string
    workspace_id: string
    agent_id: string
    name: string
    description: string
    sku: string | null
    price_amount: number
    currency: string
    images_json: string
    categories_json: string
    /** Null is not counted. */
    stock: number | null
    fulfillment_type: 'digital' | 'shipping' | 'pickup' | 'none'
    tax_code: string | null
    active: number
    created_at: number
    updated_at: number
    deleted_at: number | null
  }
  product_terms: { agent_id: string; term: string; product_id: string }
}
