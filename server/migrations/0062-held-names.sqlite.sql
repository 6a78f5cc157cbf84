-- Objects that are kept for older backups go with their file, whatever deletes it.
create trigger knowledge_sources_removed after delete on knowledge_sources
begin
  update object_deletions set due_at = 0 where source_id = old.id;
end;
