"""Who a person is: what a caller names, and columns that look like it."""

from __future__ import annotations

from fractions import Fraction

import pytest

import candling
from candling.model.person import ROW, Person, columns_of, looks_like_person

LIKE_A_PERSON = (
    *("PatientID", "patient_id", "patientId", "PATIENT_ID", "PATIENTID", "patientid", "patient"),
    *("Patient ID", "patient-id", "Patient.Id", "patient_id2", "patient_num", "patient_key"),
    *("customer", "CustomerKey", "customer_key", "Customer Number", "fk_customer", "id_patient"),
    *("user", "User", "users_id", "user_uuid", "username", "user_name", "UserName", "userid"),
    *("ssn", "SSN", "ssn_hash", "socialSecurityNumber", "national_id", "nhs_number", "mrn", "MRN"),
    *("email", "Email", "e_mail", "customer_email", "email_address", "email_sha256", "email_md5"),
    *("member_no", "memberno", "MemberNo", "member_number", "passport", "passport_no", "student"),
    *("src_patient_id", "HospitalPatientID", "subject_id", "usubjid", "emp_no", "bene_id"),
    *("client_ref", "taxpayer_id", "visitor_id", "insured_id", "person_id", "people_id"),
    *("account_no", "account_id", "iban", "IBAN", "NPI", "provider_npi", "konto_nr", "DNI"),
    *("Kunden Nr", "KundenNr", "Kundennummer", "kunden-nr", "Patientennummer", "Mitarbeiter-ID"),
    *("IDPaciente", "id_paciente", "paciente", "numéro de client", "id_cliente", "klantnummer"),
)
LIKE_SOMETHING_ELSE = (
    *("zip", "city", "State", "name", "first_name", "phone", "PhoneNumber", "tax_rate", "1", "_"),
    *("id", "ID", "Id", "key", "code", "no", "uid", "uuid", "", "é", "\u75c5\u4eba", "order_id"),
    *("visit_id", "hospital_id", "provider_number", "price_code", "account_type", "product_id"),
    *("session_id", "user_agent", "user_type", "new_user", "user_group_id", "userland"),
    *("customer_segment", "customer_segment_id", "customer_age", "customer_service_number"),
    *("patient_count", "patients", "customers", "num_patients", "number_of_patients", "is_patient"),
    *("patient_visit_id", "patient_id_type", "created_by_user_id", "member_since", "person_type"),
    *("email_domain", "email_type", "ssn_last4", "national", "nationality", "security_code"),
    *("subject", "insured", "resident", "people", "client_ip", "employee_count", "paternity"),
)


@pytest.mark.parametrize("name", LIKE_A_PERSON)
def test_names_of_ids_of_persons(name: str) -> None:
    assert looks_like_person(["zip", name, "city"]) == (name,)


@pytest.mark.parametrize("name", LIKE_SOMETHING_ELSE)
def test_other_names(name: str) -> None:
    assert looks_like_person([name]) == ()


def test_they_stay_in_the_order_of_the_table() -> None:
    assert looks_like_person(["email", "zip", "Patient"]) == ("email", "Patient")


def test_a_name_of_any_length_takes_no_time() -> None:
    assert looks_like_person(["patient_" * 100_000, "A" * 1_000_000, "_" * 1_000_000]) == ()


def test_columns_of_a_caller() -> None:
    assert columns_of(None) == ()
    assert columns_of("patient") == ("patient",)
    assert columns_of(["country", "patient"]) == ("country", "patient")


@pytest.mark.parametrize("person", ["", [], [""], ["patient", ""], ["patient", "patient"]])
def test_what_names_nobody_is_refused(person: str | list[str]) -> None:
    with pytest.raises(candling.UsageError) as error:
        columns_of(person)
    assert error.value.code == "U216"


def test_what_is_written() -> None:
    assert ROW.to_dict() == {"columns": [], "rows": 1}
    assert Person(unused=("id",)).to_dict() == {"columns": [], "rows": 1, "unused": ["id"]}
    chosen = Person(("a", "b"), 4, Fraction(1, 10))
    assert chosen.to_dict() == {"columns": ["a", "b"], "rows": 4, "epsilon": 0.1}
    assert Person(("a",), None).to_dict() == {"columns": ["a"], "rows": None}


def test_rows_that_are_not_chosen_yet_are_not_asked_for() -> None:
    with pytest.raises(AssertionError):
        _ = Person(("a",), None).most
