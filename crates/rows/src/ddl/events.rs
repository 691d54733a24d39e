//! Making, changing and dropping events.
//!
//! Invariants
//! 1. A change of an event shows the definition that it has read: where it is no longer the present
//!    one nothing is changed, so that a statement and a run that ends do not undo each other.
//!
//! Not here: what an event is (`event`), when it runs (`sql::events`).

use std::sync::Arc;

use super::rules::check_name;
use crate::catalog::no_database;
use crate::engine::Engine;
use crate::error::{Error, Result, Thing};
use crate::event::EventDefinition;
use crate::store::Durability;

impl Engine {
    /// Makes an event; gives it its id.
    ///
    /// # Errors
    /// `Exists`, `NotFound` of the database, `Definition` for a bad name.
    pub fn create_event(&self, mut event: EventDefinition) -> Result<()> {
        check_name(Thing::Event, &event.name)?;
        let mut change = self.catalog().change();
        self.check_place(&event)?;
        event.id = change.new_table_id();
        change.put_event(event);
        change.finish(&**self.store(), self.durability(), |_| ())
    }

    /// Puts another definition in the place of one that was read from the catalog, or drops it;
    /// says whether it was still the present one.
    ///
    /// # Errors
    /// As `create_event`, for a new name.
    pub fn change_event(
        &self,
        old: &Arc<EventDefinition>,
        new: Option<EventDefinition>,
        durability: Durability,
    ) -> Result<bool> {
        let mut change = self.catalog().change();
        let present = self.catalog().event(old.id);
        if !present.is_some_and(|present| Arc::ptr_eq(&present, old)) {
            return Ok(false);
        }
        match new {
            None => change.delete_event(old.id),
            Some(mut event) => {
                event.id = old.id;
                if !old.is_named(&event.database, &event.name) {
                    check_name(Thing::Event, &event.name)?;
                    self.check_place(&event)?;
                }
                change.put_event(event);
            }
        }
        change.finish(&**self.store(), durability, |_| ())?;
        Ok(true)
    }

    fn check_place(&self, event: &EventDefinition) -> Result<()> {
        if !self.catalog().has_database(&event.database) {
            return Err(no_database(&event.database));
        }
        match self.catalog().event_named(&event.database, &event.name) {
            Some(_) => Err(Error::Exists { what: Thing::Event, name: event.name.clone() }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;
    use crate::event::{EventSchedule, EventSettings, EventStatus, RunRecord};
    use crate::foreign_key::ForeignKeyChecks;
    use crate::memory::MemoryStore;

    fn event(name: &str) -> EventDefinition {
        EventDefinition {
            id: 0,
            database: "d".into(),
            name: name.into(),
            definer: "root@localhost".into(),
            is_by_account: false,
            body: "DO 1".into(),
            schedule: EventSchedule::Once { at: 5, begun: false },
            preserve: false,
            status: EventStatus::Enabled,
            comment: String::new(),
            created: 1,
            altered: 1,
            settings: EventSettings {
                sql_mode: String::new(),
                time_zone: "+00:00".into(),
                charset_client: "utf8mb4".into(),
                collation_connection: "utf8mb4_general_ci".into(),
            },
            record: RunRecord::default(),
        }
    }

    fn names(engine: &Engine) -> Vec<String> {
        engine.catalog().events().iter().map(|event| event.name.clone()).collect()
    }

    #[test]
    fn events_survive_a_restart_go_with_their_database_and_keep_their_number() {
        let store = Arc::new(MemoryStore::new());
        let open = || Engine::open(store.clone(), EngineOptions::default()).unwrap();
        let engine = open();
        assert!(matches!(engine.create_event(event("e")), Err(Error::NotFound { .. })));
        engine.create_database("d").unwrap();
        engine.create_database("other").unwrap();
        engine.create_event(event("e")).unwrap();
        engine.create_event(EventDefinition { database: "other".into(), ..event("e") }).unwrap();
        assert!(matches!(engine.create_event(event("E")), Err(Error::Exists { .. })));
        let old = engine.catalog().event_named("d", "e").unwrap();
        let id = old.id;
        let renamed = EventDefinition { name: "f".into(), ..(*old).clone() };
        assert!(engine.change_event(&old, Some(renamed), Durability::Os).unwrap());
        assert!(!engine.change_event(&old, None, Durability::Os).unwrap(), "it is another now");
        drop(engine);
        let engine = open();
        assert_eq!(names(&engine), ["f", "e"]);
        assert_eq!(engine.catalog().event_named("d", "F").unwrap().id, id);
        engine.drop_database("d", ForeignKeyChecks::On, &engine.patience()).unwrap();
        assert_eq!(names(&engine), ["e"]);
        drop(engine);
        let engine = open();
        assert_eq!(names(&engine), ["e"]);
        engine.create_database("d").unwrap();
        engine.create_event(event("g")).unwrap();
        assert!(engine.catalog().event_named("d", "g").unwrap().id > id);
    }
}
