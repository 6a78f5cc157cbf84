import { deflateRawSync, crc32 } from 'node:zlib'

/** A PDF with these pages. A line that begins with `# ` is set in large type. */
export function makePdf(pages: readonly string[]): Buffer {
  const objects: string[] = []
  const kids = pages.map((_, n) => `${4 + n * 2} 0 R`).join(' ')
  objects.push('<< /Type /Catalog /Pages 2 0 R >>')
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`)
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  for (const [n, page] of pages.entries()) {
    const content = pageContent(page)
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + n * 2} 0 R ` +
        '/Resources << /Font << /F1 3 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    )
  }
  return assemblePdf(objects)
}

/**
 * The same PDF with a wrong offset for the content of one page, counted from 1: that page cannot be
 * read.
 */
export function losePage(pdf: Buffer, page: number): Buffer {
  const lost = `\n${3 + page * 2} 0 obj\n`
  return Buffer.from(pdf.toString('latin1').replace(lost, '\n'.padEnd(lost.length, 'x')), 'latin1')
}

/**
 * The same PDF with another object in place of one page: that page and all that follow cannot be
 * read.
 */
export function damagePage(pdf: Buffer, page: number): Buffer {
  const text = pdf.toString('latin1')
  const from = text.indexOf('<<', text.indexOf(`\n${2 + page * 2} 0 obj\n`))
  const to = text.indexOf('\nendobj', from)
  return Buffer.from(`${text.slice(0, from)}${'7'.padEnd(to - from)}${text.slice(to)}`, 'latin1')
}

function pageContent(page: string): string {
  let y = 740
  const lines = page.split('\n').map((line) => {
    const isLarge = line.startsWith('# ')
    y -= line === '' ? 24 : isLarge ? 30 : 14
    const text = (isLarge ? line.slice(2) : line).replaceAll(/[\\()]/g, '\\$&')
    return `BT /F1 ${isLarge ? 20 : 11} Tf 50 ${y} Td (${text}) Tj ET`
  })
  return lines.join('\n')
}

function assemblePdf(objects: readonly string[]): Buffer {
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, n) => {
    const offset = body.length
    body += `${n + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`
  const end = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(body + table + end, 'latin1')
}

/** A ZIP archive of these files. `claimedSize` replaces the declared size of the largest one. */
export function makeZip(
  files: Readonly<Record<string, string | Buffer>>,
  claimedSize?: number,
): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const size = claimedSize === undefined ? bytes.length : Math.min(bytes.length, claimedSize)
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(8, 4)
    shared.writeUInt32LE(crc32(bytes), 10)
    shared.writeUInt32LE(packed.length, 14)
    shared.writeUInt32LE(size, 18)
    shared.writeUInt16LE(name.length, 22)
    const head = Buffer.concat([Buffer.from('PK\x03\x04'), shared, Buffer.from(name)])
    const entry = Buffer.alloc(46)
    entry.write('PK\x01\x02', 0)
    entry.writeUInt16LE(20, 4)
    shared.copy(entry, 6)
    entry.writeUInt32LE(offset, 42)
    central.push(entry, Buffer.from(name))
    local.push(head, packed)
    offset += head.length + packed.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 0)
  const count = Object.keys(files).length
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...local, directory, end])
}

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const openXml = 'http://schemas.openxmlformats.org'
const officeTypes = `${openXml}/officeDocument/2006/relationships`

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/** A Word document with these paragraphs. One that begins with `# ` has the style of a heading. */
export function makeDocx(paragraphs: readonly string[], more = ''): Buffer {
  const body = paragraphs.map((text) => {
    const isHeading = text.startsWith('# ')
    const style = isHeading ? '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' : ''
    const shown = escapeXml(isHeading ? text.slice(2) : text)
    return `<w:p>${style}<w:r><w:t xml:space="preserve">${shown}</w:t></w:r></w:p>`
  })
  const word = `${openXml}/wordprocessingml/2006/main`
  return makeZip({
    '[Content_Types].xml': `${xml}<Types xmlns="${openXml}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `${xml}<Relationships xmlns="${openXml}/package/2006/relationships"><Relationship Id="r1" Type="${officeTypes}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/styles.xml': `${xml}<w:styles xmlns:w="${word}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    'word/_rels/document.xml.rels': `${xml}<Relationships xmlns="${openXml}/package/2006/relationships"><Relationship Id="r1" Type="${officeTypes}/styles" Target="styles.xml"/></Relationships>`,
    'word/document.xml': `${xml}<w:document xmlns:w="${word}"><w:body>${body.join('')}${more}</w:body></w:document>`,
  })
}

/** A Word table with these rows. */
export function docxTable(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => `<w:tc><w:p><w:r><w:t>${escapeXml(text)}</w:t></w:r></w:p></w:tc>`
  return `<w:tbl>${rows.map((row) => `<w:tr>${row.map(cell).join('')}</w:tr>`).join('')}</w:tbl>`
}

/** A workbook with one sheet that contains these rows. */
export function makeXlsx(name: string, rows: readonly (readonly (string | number)[])[]): Buffer {
  const main = `${openXml}/spreadsheetml/2006/main`
  const cell = (value: string | number, row: number, column: number) => {
    const place = `${String.fromCharCode(65 + column)}${row + 1}`
    return typeof value === 'number'
      ? `<c r="${place}"><v>${value}</v></c>`
      : `<c r="${place}" t="inlineStr"><is><t>${escapeXml(value)}</t></is></c>`
  }
  const data = rows.map(
    (row, at) => `<row r="${at + 1}">${row.map((v, column) => cell(v, at, column)).join('')}</row>`,
  )
  return makeZip({
    '[Content_Types].xml': `${xml}<Types xmlns="${openXml}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`,
    '_rels/.rels': `${xml}<Relationships xmlns="${openXml}/package/2006/relationships"><Relationship Id="rId1" Type="${officeTypes}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${xml}<workbook xmlns="${main}" xmlns:r="${officeTypes}"><sheets><sheet name="${name}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${xml}<Relationships xmlns="${openXml}/package/2006/relationships"><Relationship Id="rId1" Type="${officeTypes}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `${xml}<worksheet xmlns="${main}"><sheetData>${data.join('')}</sheetData></worksheet>`,
  })
}
