-- Prefixes of terms are ranges, and a range needs the order of bytes, whatever the database's own.
alter table product_terms alter column term type text collate "C";
