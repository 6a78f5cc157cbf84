-- Objects that are kept for older backups go with their file, whatever deletes it.
create function delete_objects_of_source() returns trigger language plpgsql as $$
begin
  update object_deletions set due_at = 0 where source_id = old.id;
  return null;
end
$$;

create trigger knowledge_sources_removed after delete on knowledge_sources
  for each row execute function delete_objects_of_source();
