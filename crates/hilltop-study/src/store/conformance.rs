//! What every journal must do. A new backend passes [`all`] and is a journal.

#![allow(clippy::unwrap_used, clippy::missing_panics_doc)]

use std::collections::BTreeMap;

use hilltop_core::{Event, Journal, JournalError, Outcome, Parameters, Value};

/// Opens one and the same journal, empty at first; `None` where a second handle cannot exist.
pub type Open<'a> = &'a (dyn Fn() -> Box<dyn Journal> + Sync);

/// The whole suite. `fresh` gives an opener of a new, empty journal each time it is called.
pub fn all(fresh: &dyn Fn() -> Box<dyn Fn() -> Box<dyn Journal> + Sync>, shared: bool) {
    what_is_appended_is_read_back(&*fresh());
    an_append_at_another_position_is_refused_and_writes_nothing(&*fresh());
    reading_beyond_the_end_gives_nothing(&*fresh());
    every_kind_of_event_survives(&*fresh());
    if shared {
        a_second_handle_sees_what_the_first_wrote(&*fresh());
        writers_that_retry_lose_nothing(&*fresh());
        groups_stay_together(&*fresh());
    }
}

fn reserved(trial: u64) -> Event {
    Event::Reserved { trial, worker: None }
}

/// Append, read from the start, read from the middle.
pub fn what_is_appended_is_read_back(open: Open<'_>) {
    let mut journal = open();
    assert_eq!(journal.read(0).unwrap(), []);
    journal.append(0, &[reserved(0), reserved(1)]).unwrap();
    journal.append(2, &[reserved(2)]).unwrap();
    journal.append(3, &[]).unwrap();
    assert_eq!(journal.read(0).unwrap(), [reserved(0), reserved(1), reserved(2)]);
    assert_eq!(journal.read(1).unwrap(), [reserved(1), reserved(2)]);
}

/// Too early and too late are both conflicts that say where the end is.
pub fn an_append_at_another_position_is_refused_and_writes_nothing(open: Open<'_>) {
    let mut journal = open();
    journal.append(0, &[reserved(0), reserved(1)]).unwrap();
    for wrong in [0, 1, 3, u64::from(u32::MAX)] {
        match journal.append(wrong, &[reserved(7), reserved(8)]) {
            Err(JournalError::Conflict { expected, found }) => assert_eq!((expected, found), (wrong, 2)),
            other => panic!("an append at {wrong} gave {other:?}"),
        }
    }
    assert_eq!(journal.read(0).unwrap().len(), 2);
}

/// No error, no events.
pub fn reading_beyond_the_end_gives_nothing(open: Open<'_>) {
    let mut journal = open();
    journal.append(0, &[reserved(0)]).unwrap();
    assert_eq!(journal.read(1).unwrap(), []);
    assert_eq!(journal.read(1000).unwrap(), []);
    assert_eq!(journal.read(u64::MAX).unwrap(), []);
}

/// Texts with quotes and other alphabets, numbers to the last bit.
pub fn every_kind_of_event_survives(open: Open<'_>) {
    let parameters = Parameters::from_iter([
        ("length", Value::Float(0.1 + 0.2)),
        ("blades", Value::Int(-3)),
        ("steel", Value::Text("du\"plex' ü\n\0".into())),
        ("on", Value::Bool(true)),
    ]);
    let values = BTreeMap::from([("cost".to_owned(), 1.0 / 3.0), ("tiny".to_owned(), 5e-324)]);
    let events = [
        Event::Created {
            format: 1,
            study: serde_json::json!({ "name": "κόστος", "seed": u64::MAX }),
        },
        Event::Reserved {
            trial: 0,
            worker: Some("w".into()),
        },
        Event::Asked {
            trial: 0,
            parameters: parameters.clone(),
            horizon: Some(0),
            memory: Some([1, 2].as_slice().into()),
            choice: None,
            outputs: Vec::new(),
        },
        Event::Adopted {
            trial: 0,
            worker: "v".into(),
        },
        Event::Told {
            trial: 0,
            outcome: Outcome::Failed("mesh \u{1F9F1}".into()),
            seconds: Some(0.25),
            accidental: false,
        },
        Event::Added {
            trial: 1,
            parameters,
            outcome: Outcome::Outputs(values),
        },
    ];
    let mut journal = open();
    journal.append(0, &events).unwrap();
    assert_eq!(journal.read(0).unwrap(), events);
}

/// Two handles, one journal.
pub fn a_second_handle_sees_what_the_first_wrote(open: Open<'_>) {
    let (mut first, mut second) = (open(), open());
    first.append(0, &[reserved(0)]).unwrap();
    assert_eq!(second.read(0).unwrap(), [reserved(0)]);
    assert!(matches!(
        second.append(0, &[reserved(1)]),
        Err(JournalError::Conflict { found: 1, .. })
    ));
    second.append(1, &[reserved(1)]).unwrap();
    assert_eq!(first.read(1).unwrap(), [reserved(1)]);
}

/// Four writers, each with its own handle, retrying on conflict: every event once, none lost.
pub fn writers_that_retry_lose_nothing(open: Open<'_>) {
    std::thread::scope(|scope| {
        for writer in 0..4_u64 {
            scope.spawn(move || (0..25).for_each(|k| insist(&mut *open(), &[reserved(writer * 25 + k)])));
        }
    });
    let mut trials: Vec<u64> = open().read(0).unwrap().iter().map(trial).collect();
    trials.sort_unstable();
    assert_eq!(trials, (0..100).collect::<Vec<_>>());
}

/// A reader never sees a part of what was appended together.
pub fn groups_stay_together(open: Open<'_>) {
    std::thread::scope(|scope| {
        for writer in 0..2_u64 {
            scope.spawn(move || (0..20).for_each(|_| insist(&mut *open(), &[reserved(writer), reserved(writer)])));
        }
        scope.spawn(|| (0..50).for_each(|_| together(&open().read(0).unwrap())));
    });
    let events = open().read(0).unwrap();
    assert_eq!(events.len(), 80);
    together(&events);
}

fn together(events: &[Event]) {
    assert_eq!(events.len() % 2, 0);
    assert!(events.chunks(2).all(|pair| pair[0] == pair[1]));
}

fn insist(journal: &mut dyn Journal, events: &[Event]) {
    loop {
        let end = journal.read(0).unwrap().len() as u64;
        match journal.append(end, events) {
            Ok(()) => return,
            Err(JournalError::Conflict { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

fn trial(event: &Event) -> u64 {
    match event {
        Event::Reserved { trial, .. } => *trial,
        other => panic!("an event that nobody wrote: {other:?}"),
    }
}
