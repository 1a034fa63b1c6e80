(* Vectors and matrices of every size over an ordered field: inner product, quadratic form, Loewner order, Frobenius
   norm (squared) and frames (orthonormal columns). The other files of this folder rest on it. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section inner_products.
Variable R : realFieldType.
Implicit Types (d n k : nat).

Definition dot d (u v : 'cV[R]_d) : R := \sum_i u i 0 * v i 0.
Definition norm2 d (v : 'cV[R]_d) : R := dot v v.
Definition outer d (v : 'cV[R]_d) : 'M[R]_d := v *m v^T.
Definition form d (A : 'M[R]_d) (v : 'cV[R]_d) : R := dot v (A *m v).
Definition symmetric d (A : 'M[R]_d) := A^T = A.
Definition semidefinite d (A : 'M[R]_d) := forall v, 0 <= form A v.
Definition loewner d (A B : 'M[R]_d) := forall v, form A v <= form B v.
Definition frobenius2 n d (A : 'M[R]_(n, d)) : R := \sum_i \sum_j A i j ^+ 2.
Definition frame d k (V : 'M[R]_(d, k)) := V^T *m V = 1%:M.
Definition projector d (P : 'M[R]_d) := symmetric P /\ P *m P = P.
Definition decreasing d (l : 'rV[R]_d) := forall i j : 'I_d, (i <= j)%N -> l 0 j <= l 0 i.
(* The columns of Q are orthonormal eigenvectors of A, and l the eigenvalues in decreasing order. *)
Definition spectrum d (Q : 'M[R]_d) (l : 'rV[R]_d) (A : 'M[R]_d) :=
  [/\ frame Q, A = Q *m diag_mx l *m Q^T & decreasing l].

Lemma dotE d (u v : 'cV[R]_d) : dot u v = (u^T *m v) 0 0.
Proof. by rewrite mxE; apply: eq_bigr => i _; rewrite mxE. Qed.

Lemma dotM d (u v : 'cV[R]_d) : u^T *m v = (dot u v)%:M.
Proof. by rewrite dotE -mx11_scalar. Qed.

Lemma dotC d (u v : 'cV[R]_d) : dot u v = dot v u.
Proof. by apply: eq_bigr => i _; rewrite mulrC. Qed.

Lemma dotDr d (u v w : 'cV[R]_d) : dot u (v + w) = dot u v + dot u w.
Proof. by rewrite !dotE mulmxDr mxE. Qed.

Lemma dotNr d (u v : 'cV[R]_d) : dot u (- v) = - dot u v.
Proof. by rewrite !dotE mulmxN mxE. Qed.

Lemma dotBr d (u v w : 'cV[R]_d) : dot u (v - w) = dot u v - dot u w.
Proof. by rewrite dotDr dotNr. Qed.

Lemma dotZr d a (u v : 'cV[R]_d) : dot u (a *: v) = a * dot u v.
Proof. by rewrite !dotE -scalemxAr mxE. Qed.

Lemma dotDl d (u v w : 'cV[R]_d) : dot (v + w) u = dot v u + dot w u.
Proof. by rewrite dotC dotDr !(dotC u). Qed.

Lemma dotNl d (u v : 'cV[R]_d) : dot (- v) u = - dot v u.
Proof. by rewrite dotC dotNr dotC. Qed.

Lemma dotBl d (u v w : 'cV[R]_d) : dot (v - w) u = dot v u - dot w u.
Proof. by rewrite dotDl dotNl. Qed.

Lemma dotZl d a (u v : 'cV[R]_d) : dot (a *: u) v = a * dot u v.
Proof. by rewrite dotC dotZr dotC. Qed.

Lemma dot0r d (u : 'cV[R]_d) : dot u 0 = 0.
Proof. by rewrite dotE mulmx0 mxE. Qed.

Lemma dot_mulr n d (u : 'cV[R]_n) (A : 'M[R]_(n, d)) (v : 'cV[R]_d) : dot u (A *m v) = dot (A^T *m u) v.
Proof. by rewrite !dotE trmx_mul trmxK mulmxA. Qed.

Lemma norm2_ge0 d (v : 'cV[R]_d) : 0 <= norm2 v.
Proof. by apply: sumr_ge0 => i _; rewrite -expr2 sqr_ge0. Qed.

Lemma norm2_eq0 d (v : 'cV[R]_d) : (norm2 v == 0) = (v == 0).
Proof.
apply/eqP/eqP => [v0|->]; last by rewrite /norm2 dot0r.
apply/colP => i; rewrite mxE; apply/eqP; rewrite -sqrf_eq0 expr2.
by move/eqP: v0; rewrite psumr_eq0 => [/allP/(_ i)|? _]; rewrite ?mem_index_enum -?expr2 ?sqr_ge0 //; apply.
Qed.

Lemma norm2_gt0 d (v : 'cV[R]_d) : (0 < norm2 v) = (v != 0).
Proof. by rewrite lt_def norm2_ge0 andbT norm2_eq0. Qed.

Lemma norm2D d (u v : 'cV[R]_d) : norm2 (u + v) = norm2 u + norm2 v + dot u v *+ 2.
Proof. by rewrite /norm2 !dotDr !dotDl (dotC v u); ring. Qed.

Lemma norm2Z d a (u : 'cV[R]_d) : norm2 (a *: u) = a ^+ 2 * norm2 u.
Proof. by rewrite /norm2 dotZr dotZl mulrA -expr2. Qed.

Lemma norm2_frame d k (V : 'M[R]_(d, k)) c : frame V -> norm2 (V *m c) = norm2 c.
Proof. by move=> VV; rewrite /norm2 dot_mulr mulmxA VV mul1mx. Qed.

Theorem cauchy_schwarz d (u v : 'cV[R]_d) : dot u v ^+ 2 <= norm2 u * norm2 v.
Proof.
have [->|v0] := eqVneq v 0; first by rewrite /norm2 !dot0r expr0n mulr0.
have nv : 0 < norm2 v by rewrite norm2_gt0.
rewrite -subr_ge0 -(pmulr_rge0 _ nv).
have -> : norm2 v * (norm2 u * norm2 v - dot u v ^+ 2) = norm2 (norm2 v *: u - dot u v *: v).
  by rewrite norm2D -scaleNr !norm2Z dotZr dotZl /norm2; ring.
exact: norm2_ge0.
Qed.

Lemma outerE d (v : 'cV[R]_d) i j : outer v i j = v i 0 * v j 0.
Proof. by rewrite mxE big_ord_recl big_ord0 addr0 mxE. Qed.

Lemma outer_sym d (v : 'cV[R]_d) : symmetric (outer v).
Proof. by rewrite /symmetric trmx_mul trmxK. Qed.

Lemma trace_outer d (v : 'cV[R]_d) : \tr (outer v) = norm2 v.
Proof. by rewrite mxtrace_mulC dotM mxtrace_scalar. Qed.

Lemma outer_mul d (v x : 'cV[R]_d) : outer v *m x = dot v x *: v.
Proof. by rewrite -mulmxA dotM mul_mx_scalar. Qed.

Lemma form_outer d (v x : 'cV[R]_d) : form (outer v) x = dot v x ^+ 2.
Proof. by rewrite /form outer_mul dotZr (dotC x) expr2. Qed.

Lemma formD d (A B : 'M[R]_d) x : form (A + B) x = form A x + form B x.
Proof. by rewrite /form mulmxDl dotDr. Qed.

Lemma formN d (A : 'M[R]_d) x : form (- A) x = - form A x.
Proof. by rewrite /form mulNmx dotNr. Qed.

Lemma formB d (A B : 'M[R]_d) x : form (A - B) x = form A x - form B x.
Proof. by rewrite formD formN. Qed.

Lemma formZ d a (A : 'M[R]_d) x : form (a *: A) x = a * form A x.
Proof. by rewrite /form -scalemxAl dotZr. Qed.

Lemma form_scalar d a (x : 'cV[R]_d) : form a%:M x = a * norm2 x.
Proof. by rewrite /form mul_scalar_mx dotZr. Qed.

Lemma formZr d (A : 'M[R]_d) a x : form A (a *: x) = a ^+ 2 * form A x.
Proof. by rewrite /form -scalemxAr dotZr dotZl mulrA -expr2. Qed.

Lemma form_congruence n d (B : 'M[R]_(n, d)) (A : 'M[R]_n) x : form (B^T *m A *m B) x = form A (B *m x).
Proof. by rewrite /form -!mulmxA dot_mulr trmxK. Qed.

Lemma form_gram n d (B : 'M[R]_(n, d)) x : form (B^T *m B) x = norm2 (B *m x).
Proof. by rewrite /form -mulmxA dot_mulr trmxK. Qed.

Lemma form_diag d (l : 'rV[R]_d) x : form (diag_mx l) x = \sum_i l 0 i * x i 0 ^+ 2.
Proof. by rewrite /form mul_diag_mx; apply: eq_bigr => i _; rewrite mxE mulrCA expr2. Qed.

Lemma form_trace d (A : 'M[R]_d) x : form A x = \tr (A *m outer x).
Proof. by rewrite mulmxA mxtrace_mulC dotM mxtrace_scalar. Qed.

Lemma frobenius2E n d (A : 'M[R]_(n, d)) : frobenius2 A = \tr (A^T *m A).
Proof.
rewrite /frobenius2 exchange_big; apply: eq_bigr => j _; rewrite mxE; apply: eq_bigr => i _.
by rewrite mxE expr2.
Qed.

Lemma frobenius2_ge0 n d (A : 'M[R]_(n, d)) : 0 <= frobenius2 A.
Proof. by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; exact: sqr_ge0. Qed.

Lemma trace_diag_frame d (Q B : 'M[R]_d) l :
  \tr (Q *m diag_mx l *m Q^T *m B) = \sum_i l 0 i * form B (col i Q).
Proof.
rewrite -!mulmxA mxtrace_mulC -!mulmxA mul_diag_mx; apply: eq_bigr => i _; rewrite mxE; congr (_ * _).
rewrite /form /dot mxE; apply: eq_bigr => j _; rewrite !mxE; congr (_ * _).
by apply: eq_bigr => k _; rewrite mxE.
Qed.

End inner_products.
