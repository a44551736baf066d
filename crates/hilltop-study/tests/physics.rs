//! What a study knows of its objective: from the file to the method, and through the store.
#![allow(clippy::unwrap_used, clippy::float_cmp)]

use std::sync::Arc;

use hilltop_core::physics::{Collocation, Law};
use hilltop_core::{Goal, Knowledge, Output, Parameter, Physics, Space};
use hilltop_study::{Method, Statement, Store, Study, StudyFile};

const PLATE: &str = r#"
method = "sobol"
[parameters]
x = { float = [0, 2] }
y = { float = [0, 1] }
[outputs]
temperature = { maximize = true }
[physics]
equations = ["div(k*grad(f)) = q", "d(f,x,y) = 0"]
points = 200
collocation = "adaptive"
functions = { q = 3.5, k = "1 + x/10", v = ["x", 2] }
values = [
    { at = "x == 0", f = "sin(y)" },
    { at = "y == 1", equation = "d(f,y) = 0" },
    { temperature = 1, at = "x == 2 and y == 0" },
]
"#;

fn checked(text: &str) -> Statement {
    StudyFile::new("plate.toml", text).check().unwrap()
}

#[test]
fn a_file_says_what_the_objective_obeys() {
    let statement = checked(PLATE);
    let knowledge = statement.knowledge.as_ref().unwrap();
    assert_eq!((knowledge.equations.len(), knowledge.points), (5, 200));
    assert_eq!(knowledge.collocation, Collocation::Adaptive);
    assert!(knowledge.is_linear() && knowledge.order() == 2);
    let mut point = [0.3, 0.4];
    assert!(knowledge.equations[4].place(&mut point));
    assert_eq!(point, [1.0, 0.0]);
    // The temperature is maximised, so what is minimised is -1 there.
    let mut slopes = [0.0];
    assert!(knowledge.equations[4].residual(&point, &[-1.0], &mut slopes).abs() < 1e-15);
}

#[test]
fn the_description_of_a_study_means_the_same_study() {
    let statement = checked(PLATE);
    let described = statement.description();
    assert_eq!(described["physics"]["equations"][1], "d(f,x,y) = 0");
    assert_eq!(described["physics"]["functions"]["q"], "3.5");
    let again = checked(&toml::to_string(&described).unwrap());
    assert_eq!(again.description(), described);
    assert_eq!(again.physics, statement.physics);
}

#[test]
fn a_stored_study_is_continued_only_with_the_same_physics() {
    let folder = tempfile::tempdir().unwrap();
    let store = || Store::open(folder.path().join("plate.db")).unwrap();
    Study::open(checked(PLATE), store()).unwrap().ask(2).unwrap();
    let again = Study::open(checked(PLATE), store()).unwrap();
    assert_eq!(again.begun().unwrap(), 2);
    drop(again);
    let other = checked(&PLATE.replace("q = 3.5", "q = 3.6"));
    let error = Study::open(other, store()).err().unwrap();
    assert!(format!("{error:?} {error}").contains("physics.functions"), "{error:?}");
}

#[test]
fn a_built_in_problem_brings_its_equation_when_asked() {
    let file = |rest: &str| format!("budget = 9\nmethod = \"sobol\"\n[evaluate]\nproblem = \"heat-1\"\n{rest}");
    assert!(checked(&file("")).knowledge.is_none());
    let told = checked(&file("[physics]\nproblem = true\npoints = 50"));
    assert_eq!(told.description()["physics"]["equations"][0], "laplacian(f) = 0");
    assert_eq!(told.knowledge.unwrap().points, 50);
    assert!(
        checked(&file("[physics]\nproblem = false\nequation = \"f = 1\"").replace("problem = false\n", ""))
            .knowledge
            .is_some()
    );
    let without = file("[physics]\nproblem = true").replace("heat-1", "ackley-3");
    let error = StudyFile::new("a.toml", without).check().unwrap_err().to_string();
    assert!(error.contains("a built-in problem with an equation"), "{error}");
}

#[test]
fn a_method_that_makes_no_use_of_physics_is_warned_of() {
    let warnings = checked(PLATE).warnings().join("; ");
    assert!(
        warnings.contains("the method sobol makes no use of [physics]"),
        "{warnings}"
    );
    let plain = checked("method = \"sobol\"\n[parameters]\nx = { float = [0, 1] }\n[outputs]\nc = { minimize = true }");
    assert!(plain.warnings().is_empty());
}

#[test]
fn a_study_composed_in_code_takes_texts_and_closures() {
    let space = Arc::new(Space::new(vec![Parameter::float("t", 0.0, 1.0)], vec![]).unwrap());
    let output = Output {
        name: "height".into(),
        goal: Goal::Minimize,
    };
    let statement = || {
        let outputs = vec![output.clone()].into();
        Statement::new(Arc::clone(&space), outputs, Method::parse("sobol").unwrap()).unwrap()
    };
    let texts = statement().with_physics(Physics::new("d(f,t,t) = -9.81")).unwrap();
    assert_eq!(texts.description()["physics"]["equations"][0], "d(f,t,t) = -9.81");
    let error = statement().with_physics(Physics::new("d(f,u) = 0")).unwrap_err();
    assert!(
        error.to_string().contains("equation 1, column 5: unknown name `u`"),
        "{error}"
    );
    let derivatives: [&[&str]; 1] = [&["t", "t"]];
    let fall = Law::closure("free fall", &space, &output, &derivatives, true, |_, jet, slopes| {
        slopes[0] = 1.0;
        jet[0] + 9.81
    });
    let knowledge = Knowledge {
        equations: vec![fall.unwrap().shared()],
        points: 100,
        collocation: Collocation::Fixed,
    };
    let closures = statement().with_knowledge(knowledge.into()).unwrap();
    assert_eq!(closures.description()["physics"]["closures"][0], "free fall");
    assert!(closures.knowledge.unwrap().equations[0].is_linear());
}
