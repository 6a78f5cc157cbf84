/** A typical OpenAPI document: references, shared parameters and several security schemes. */
export const sampleOpenApi = `
openapi: 3.1.0
info: { title: Clinic, version: 1.4.2 }
servers:
  - url: https://{region}.clinic.example/{base}/
    variables:
      region: { default: eu, enum: [eu, us] }
      base: { default: v2 }
security:
  - api_key: []
paths:
  /animals:
    parameters:
      - { $ref: '#/components/parameters/Tenant' }
    get:
      operationId: listAnimals
      summary: List animals
      description: Every animal of the clinic, newest first.
      parameters:
        - name: kind
          in: query
          description: What it is.
          schema: { type: array, items: { type: string, enum: [dog, cat] } }
        - name: limit
          in: query
          schema: { type: integer, minimum: 1, maximum: 100, default: 20 }
        - { name: X-Trace, in: header, schema: { type: string, format: uuid } }
        - { name: Accept, in: header, schema: { type: string } }
        - { name: session, in: cookie, schema: { type: string } }
      responses: { '200': { description: ok } }
    post:
      operationId: add animal!
      summary: Add an animal
      security:
        - oauth: [write]
      requestBody:
        required: true
        content:
          application/vnd.clinic+json:
            schema: { $ref: '#/components/schemas/NewAnimal' }
      responses: { '201': { description: made } }
  /animals/{animalId}:
    parameters:
      - { name: animalId, in: path, required: true, schema: { type: integer } }
    get:
      summary: One animal
      security: []
      responses: { '200': { description: ok } }
    delete:
      operationId: removeAnimal
      security: [{ login: [] }]
      responses: { '204': { description: gone } }
  /animals/{animalId}/photo:
    put:
      operationId: setPhoto
      parameters:
        - { name: animalId, in: path, required: true, schema: { type: integer } }
      requestBody:
        content:
          image/png: { schema: { type: string, format: binary } }
      responses: { '204': { description: set } }
  /token:
    post:
      operationId: getToken
      security: [{ query_key: [] }]
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              required: [grant_type]
              properties:
                grant_type: { type: string }
                scope: { type: string }
      responses: { '200': { description: ok } }
components:
  parameters:
    Tenant: { name: tenant, in: query, required: true, schema: { type: string } }
  securitySchemes:
    api_key: { type: apiKey, in: header, name: X-Api-Key, description: From the settings. }
    query_key: { type: apiKey, in: query, name: key }
    login: { type: http, scheme: basic }
    oauth: { type: oauth2, flows: {} }
  schemas:
    Named:
      type: object
      required: [name]
      properties:
        name: { type: string, maxLength: 50, pattern: '^(a+)+$', description: Its name. }
    NewAnimal:
      allOf:
        - { $ref: '#/components/schemas/Named' }
        - type: object
          required: [born]
          properties:
            id: { type: string, readOnly: true }
            born: { type: string, format: date }
            weight: { type: [number, 'null'] }
            owner: { $ref: '#/components/schemas/Owner' }
    Owner:
      type: object
      properties:
        name: { type: string }
        friends: { type: array, items: { $ref: '#/components/schemas/Owner' } }
`
